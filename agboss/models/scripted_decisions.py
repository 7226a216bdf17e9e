"""A scripted decision model: a ``DecisionModel`` whose probabilities are written down, for tests, demos and work without a key.

decisions = ScriptedDecisions(serves=["typesafe/*"])
decisions.when(reply="yes, fine").answer(0.9)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agboss.domain.conversation import Usage
from agboss.domain.replies import reply_in
from agboss.errors import ModelRejectedError
from agboss.ports.decision_models import YesNoAnswer, YesNoQuestion


@dataclass(slots=True)
class DecisionRule:
    """One rule of a script; finish it with ``answer`` or ``fail``."""

    fits: Callable[[YesNoQuestion], bool]
    _probability: float = 0.0
    _error: Exception | None = None

    def answer(self, probability: float) -> "DecisionRule":
        """How likely "yes" is."""
        self._probability = probability
        return self

    def fail(self, error: Exception) -> "DecisionRule":
        """Raise this instead of answering."""
        self._error = error
        return self

    def made(self) -> YesNoAnswer:
        """The rule's answer."""
        if self._error is not None:
            raise self._error
        return YesNoAnswer(probability=self._probability, usage=Usage(input_tokens=1, output_tokens=1))


class ScriptedDecisions:
    """A ``DecisionModel`` that follows a script; ``questions`` has what it was asked, in this process."""

    def __init__(self, *, serves: Sequence[str] = ("*",)) -> None:
        self._serves = tuple(serves)
        self._rules: list[DecisionRule] = []
        self.questions: list[YesNoQuestion] = []

    @property
    def serves(self) -> tuple[str, ...]:
        return self._serves

    def when(
        self, predicate: Callable[[YesNoQuestion], bool] | None = None, *, reply: str | None = None, model: str | None = None
    ) -> DecisionRule:
        """A rule for questions that meet all that is given.

        Args:
            predicate: says so of the question.
            reply: the reply that is read is this, word for word.
            model: the model asked for.
        """

        def fits(question: YesNoQuestion) -> bool:
            return (
                (predicate is None or predicate(question))
                and (reply is None or reply_in(question.state) == reply)
                and (model is None or question.model == model)
            )

        rule = DecisionRule(fits)
        self._rules.append(rule)
        return rule

    async def decide(self, question: YesNoQuestion) -> YesNoAnswer:
        """The answer of the first rule that fits.

        Raises:
            ModelRejectedError: no rule does.
        """
        self.questions.append(question)
        for rule in self._rules:
            if rule.fits(question):
                return rule.made()
        raise ModelRejectedError(
            f"the script has no rule for what decision model {question.model!r} was asked; add one with when(…)"
        )
