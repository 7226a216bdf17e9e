"""Where yes-or-no decisions come from: models that give a probability instead of a text."""

from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from agboss.domain.conversation import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNoQuestion:
    """One question about one state."""

    model: str
    name: str
    """What is decided, in a word."""
    instructions: str
    state: str
    """What the question is about."""
    tenant_id: str = "default"
    timeout_seconds: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNoAnswer:
    """How likely "yes" is, from 0 to 1."""

    probability: float
    usage: Usage = field(default_factory=Usage)


@runtime_checkable
class DecisionModel(Protocol):
    """Serves the decision models whose names match one of its patterns; listed in ``models=`` beside the chat models'
    providers.

    It makes one attempt a call: attempts are Temporal's to repeat.
    """

    @property
    def serves(self) -> tuple[str, ...]:
        """Shell-style patterns of model names, like ``typesafe/*``."""
        ...

    async def decide(self, question: YesNoQuestion) -> YesNoAnswer:
        """Ask it.

        Raises:
            ModelUnavailableError: worth another try (down, slow, busy).
            ModelRejectedError: another try won't help (key, unknown model, content).
            ModelAnswerError: what came is no probability.
        """
        ...
