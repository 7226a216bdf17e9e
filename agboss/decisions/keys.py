"""Names made from what they name: digests for steps, turns and pauses, and workflow ids that can't collide.

No clock, no random number and no run id enters a key: a reset or a new run would change it.
"""

import hashlib
import json
import string
from typing import Any

from agboss.domain.ids import ContentHash, ExecutionId, Path, PauseKey, ReadingId, StepKey, TurnKey, WorkflowId

_PLAIN = frozenset(string.ascii_letters + string.digits + "-_")


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal texts."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(kind: str, *parts: Any) -> str:
    """SHA-256, in hex, of ``kind`` and ``parts``; parts can't run into each other."""
    return hashlib.sha256(canonical_json([kind, *parts]).encode("utf-8", "surrogatepass")).hexdigest()


def content_hash(content: bytes) -> ContentHash:
    """The name of a blob."""
    return ContentHash(hashlib.sha256(content).hexdigest())


def turn_key(execution_id: ExecutionId, node: str, visit: int, path: Path, item: int | None, iteration: int) -> TurnKey:
    """The name of one model turn."""
    return TurnKey(digest("turn", execution_id, node, visit, path, item, iteration))


def position_key(turn: TurnKey, position: int) -> str:
    """The name of a place in a turn, whatever is called there."""
    return digest("position", turn, position)


def step_key(turn: TurnKey, position: int, tool: str, arguments: Any) -> StepKey:
    """The name of one tool call and its idempotency key.

    ``arguments`` are the *validated* ones as plain JSON data: an approval must never serve other arguments. The
    provider's call id is not in it: models repeat and omit them.
    """
    return StepKey(digest("step", turn, position, tool, arguments))


def pause_key(step: StepKey) -> PauseKey:
    """How Temporal, logs and errors name the pause of a step."""
    return PauseKey(digest("pause", step)[:32])


def reading_id(pause: PauseKey, request: str) -> ReadingId:
    """The name of one request's reading: the same request is read once."""
    return ReadingId(digest("reading", pause, request)[:40])


def reading_digest(reply: str, answerer: str, responder: str) -> str:
    """What makes a reply this one, kept when its text no longer is."""
    return digest("reply", reply, answerer, responder)


def pause_id_hash(pause_id: str) -> str:
    """What a pause's id is looked up by: the id as it comes, never trimmed or case-folded (A03)."""
    return hashlib.sha256(pause_id.encode("utf-8", "surrogatepass")).hexdigest()


def workflow_id(application: str, tenant: str, thread: str, execution_id: ExecutionId) -> WorkflowId:
    """``<application>.<tenant>.<thread>.<execution id>``: injective, so no choice of names reaches another tenant."""
    parts = (_escaped(application, 64), _escaped(tenant, 64), _escaped(thread, 100), execution_id)
    return WorkflowId(".".join(parts))


def under(path: str, prefix: str) -> bool:
    """Whether ``path`` is ``prefix`` or a place below it."""
    return not prefix or path == prefix or path.startswith(prefix + "/")


def _escaped(part: str, longest: int) -> str:
    """Letters, digits, ``-`` and ``_`` as they are, all else as ``%XX``; a long part becomes a digest.

    A digest is marked by a leading ``~``, which no escaped part has.
    """
    escaped = "".join(character if character in _PLAIN else _percent(character) for character in part)
    return escaped if len(escaped) <= longest else "~" + digest("part", part)[:40]


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
