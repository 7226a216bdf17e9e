"""Where model answers come from."""

from typing import Protocol, runtime_checkable

from agboss.domain.conversation import ModelAnswer, ModelRequest


@runtime_checkable
class ModelProvider(Protocol):
    """Serves the models whose names match one of its patterns.

    A provider makes one attempt a call: attempts are Temporal's to repeat.
    """

    @property
    def serves(self) -> tuple[str, ...]:
        """Shell-style patterns of model names, like ``moonshotai/*``."""
        ...

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """One chat completion.

        Raises:
            ModelUnavailableError: worth another try (down, slow, busy), with ``retry_after`` where the endpoint said so.
            ModelRejectedError: another try won't help (key, unknown model, content).
            ModelAnswerError: what came is no chat completion.
        """
        ...
