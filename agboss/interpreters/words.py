"""Plain words: yes and no in several languages. Every word of a reply must be known; whatever else it says, it is not understood.

@reply_interpreter(name="leave-reply-interpreter", description="…", decided_by=DecidedBy.CODE)
class LeaveReplyInterpreter(YesNoReplies):
    pass
"""

import re
import unicodedata
from typing import Any

from agboss.domain.asks import ToolCallApprovalDecision
from agboss.domain.replies import ReplyInput, ReplyInterpretation
from agboss.interpreters.quotes import new_text

YES = frozenset(
    """yes|yep|yes please|ok|okay|approve|approved|i approve|i agree|agreed|go ahead|granted|👍|✅
    |ja|ja bitte|genehmigt|einverstanden|freigegeben|ich stimme zu|in ordnung
    |oui|d'accord|approuvé|approuvée|j'approuve|validé
    |sí|si|aprobado|aprobada|de acuerdo|lo apruebo
    |sì|approvato|approvata|va bene|d'accordo
    |sim|aprovado|aprovada|concordo
    |はい|承認|承認します|了解です
    |是|是的|同意|批准|可以""".replace("\n    ", "").split("|")
)
NO = frozenset(
    """no|nope|reject|rejected|i reject|denied|declined|not approved|do not approve|don't approve|i don't approve|👎|❌
    |nein|abgelehnt|nicht genehmigt|ich lehne ab
    |non|refusé|refusée|je refuse
    |rechazado|rechazada|no apruebo|lo rechazo
    |respinto|respinta|non approvo|rifiutato
    |não|rejeitado|recusado|não aprovo
    |いいえ|却下|却下します
    |不|不同意|不批准|拒绝|不可以""".replace("\n    ", "").split("|")
)
COURTESY = frozenset(
    """thanks|thank you|please|hi|hello|regards|best regards|danke|vielen dank|bitte|hallo|viele grüße|merci|bonjour|cordialement
    |gracias|hola|saludos|grazie|ciao|obrigado|obrigada|olá|ありがとう|谢谢""".replace("\n    ", "").split("|")
)
_BREAKS = re.compile(r"[,.!;\n、。！，]+")
_DOUBTS = re.compile(r"[?？…]|\.\.")
_SKIN = re.compile("[\U0001f3fb-\U0001f3ff\ufe0f]")
_LONGEST = 100_000


class YesNoReplies:
    """Understands a plain yes or no, also at the top of a mail that quotes older ones. Never a half, a condition or a doubt."""

    def interpret(self, input: ReplyInput[Any]) -> ReplyInterpretation[ToolCallApprovalDecision]:
        approved = yes_or_no(input.reply)
        if approved is None:
            return ReplyInterpretation.not_understood(reason="this is no plain yes or no")
        return ReplyInterpretation.understood({"approved": approved})


def yes_or_no(reply: str) -> bool | None:
    """What a reply plainly says; ``None`` where it says anything else."""
    text = new_text(reply) if len(reply) <= _LONGEST else None
    # A sentence that trails off means something else than its words.
    if text is None or _DOUBTS.search(text):
        return None
    said = {_plain(part) for part in _BREAKS.split(text)} - {""} - COURTESY
    if said and said <= YES:
        return True
    if said and said <= NO:
        return False
    return None


def _plain(part: str) -> str:
    """In one spelling: letters that only look like others stay what they are."""
    text = unicodedata.normalize("NFKC", part).casefold().replace("’", "'")
    return " ".join(_SKIN.sub("", text).split())
