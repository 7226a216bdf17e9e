"""A scripted model: a provider whose answers are written down, for tests, demos and work without a key.

    models = ScriptedModels()
    models.when(said="refund order A-17").call("refund-tool", order_id="A-17", amount="50.00")
    models.when(result_of="refund-tool").answer("Done.")
    models.when(reply="ok, but only half").read(approved=True, override_arguments={"amount": "25.00"})

A rule decides from the request alone, so a script works across processes and after restarts. The first rule that fits
answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from agboss.domain.conversation import ModelAnswer, ModelRequest, ToolCall, ToolMessage, Usage, UserMessage
from agboss.domain.replies import reply_in
from agboss.errors import ModelRejectedError

Reply = Callable[[ModelRequest], ModelAnswer]


@dataclass(slots=True)
class Rule:
    """One rule of a script. ``fits`` says whether it answers a request; finish it with ``answer``, ``call`` or ``reply``."""

    fits: Callable[[ModelRequest], bool]
    _reply: Reply | None = None
    _text: str = ""
    _calls: list[ToolCall] = field(default_factory=list)
    _error: Exception | None = None

    def answer(self, text: str) -> "Rule":
        """Answer with this text."""
        self._text = text
        return self

    def call(self, tool: str, /, *, call_id: str | None = "auto", **arguments: Any) -> "Rule":
        """Answer with a call; more of them in one rule are calls of one turn. ``call_id=None`` leaves the id out."""
        number = len(self._calls)
        self._calls.append(ToolCall(id=f"call_{number}" if call_id == "auto" else call_id, name=tool, arguments=arguments))
        return self

    def read(self, **answer: Any) -> "Rule":
        """As a reply interpreter's model: give this answer, like ``approved=True, override_arguments={…}``."""
        return self.call("answer", **answer)

    def reply(self, function: Reply) -> "Rule":
        """Answer with what ``function`` makes of the request."""
        self._reply = function
        return self

    def fail(self, error: Exception) -> "Rule":
        """Raise this instead of answering."""
        self._error = error
        return self

    def made(self, request: ModelRequest) -> ModelAnswer:
        """The rule's answer."""
        if self._error is not None:
            raise self._error
        if self._reply is not None:
            return self._reply(request)
        return ModelAnswer(text=self._text, calls=tuple(self._calls), usage=Usage(input_tokens=1, output_tokens=1))


class ScriptedModels:
    """A ``ModelProvider`` that follows a script; ``requests`` has what it was sent, in this process."""

    def __init__(self, *, serves: Sequence[str] = ("*",)) -> None:
        self._serves = tuple(serves)
        self._rules: list[Rule] = []
        self.requests: list[ModelRequest] = []

    @property
    def serves(self) -> tuple[str, ...]:
        return self._serves

    def when(
        self,
        predicate: Callable[[ModelRequest], bool] | None = None,
        *,
        said: str | None = None,
        result_of: str | None = None,
        result: str | None = None,
        turn: int | None = None,
        model: str | None = None,
        reply: str | None = None,
    ) -> Rule:
        """A rule for requests that meet all that is given.

        Args:
            predicate: says so of the request.
            said: the last user message has this text.
            result_of: the last message is a result of this tool.
            result: the last tool result has this text.
            turn: the number of answers the model has given before, from 0.
            model: the model asked for.
            reply: a reply interpreter reads this reply, word for word.
        """

        def fits(request: ModelRequest) -> bool:
            last = request.messages[-1]
            users = [message.text for message in request.messages if isinstance(message, UserMessage)]
            results = [message for message in request.messages if isinstance(message, ToolMessage)]
            answers = sum(message.role == "assistant" for message in request.messages)
            return (
                (predicate is None or predicate(request))
                and (said is None or bool(users and said in users[-1]))
                and (result_of is None or (isinstance(last, ToolMessage) and last.tool == result_of))
                and (result is None or bool(results and result in results[-1].text))
                and (turn is None or answers == turn)
                and (model is None or request.model == model)
                and (reply is None or bool(users and reply_in(users[-1]) == reply))
            )

        rule = Rule(fits)
        self._rules.append(rule)
        return rule

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """The answer of the first rule that fits.

        Raises:
            ModelRejectedError: no rule does; the message shows what was sent.
        """
        self.requests.append(request)
        for rule in self._rules:
            if rule.fits(request):
                return rule.made(request)
        last = request.messages[-1]
        raise ModelRejectedError(
            f"the script has no rule for what model {request.model!r} was sent: its last message is {last.role!r} "
            f"{last.text[:200]!r}; add a rule with when(…)"
        )
