"""Reading a reply: look, interpret in the pause's own frame, settle. Nothing that can't be read answers anything."""

import logging
from collections.abc import Awaitable, Callable
from typing import Any

from agboss.assembly.answers import answer_of
from agboss.assembly.assembled import Assembled
from agboss.assembly.interpreters import InterpreterBinding
from agboss.declare.context import CancellationSignal, Frame
from agboss.domain.conversation import ModelAnswer, Usage
from agboss.domain.ids import PauseKey, WorkflowId
from agboss.domain.pauses import PauseStatus
from agboss.domain.replies import DecidedBy, NotUnderstood, ReplyInput, Understood
from agboss.errors import DtoValidationError, IndexUnavailableError, ModelUnavailableError, ReplyInterpreterMissingError
from agboss.ports.decision_models import YesNoAnswer
from agboss.ports.models import ModelProvider
from agboss.ports.pause_index import PauseIndex, Reading, ReadingPlace, SettleReading
from agboss.temporal import limits
from agboss.temporal.activities.frames import frame_of, question_of
from agboss.temporal.activities.interpreting import (
    chat_decision,
    chat_request,
    refuse_masks,
    yes_no_decision,
    yes_no_question,
)
from agboss.temporal.failures import to_record
from agboss.temporal.reading_wire import Read, ReadResult
from agboss.temporal.user_code import UserCode

Tell = Callable[[WorkflowId, PauseKey], Awaitable[bool]]
"""Tells a holder to look; False where Temporal can't now."""
_log = logging.getLogger("agboss.replies")


class Unreadable(Exception):
    """An interpreter said so itself: there is no error behind it."""


class Readings:
    """Runs ``Read`` steps."""

    def __init__(self, index: PauseIndex, assembled: Assembled, user_code: UserCode) -> None:
        self._index = index
        self._assembled = assembled
        self._user_code = user_code

    async def run(self, step: Read, *, attempt: int, signal: CancellationSignal, tell: Tell) -> ReadResult:
        """A reply that was read is not read again; one whose pause doesn't wait any more is not read at all (S110).

        Raises:
            ModelUnavailableError: worth another attempt.
        """
        reading = await self._index.reading(step.reading)
        if reading is not None and reading.outcome is None:
            settle = SettleReading(reading=step.reading)
            if reading.place is not None and reading.place.pause.status is PauseStatus.PENDING:
                settle = await self._read(reading, reading.place, attempt, signal)
            reading = await self._index.settle_reading(settle)
        if reading is None or reading.outcome is None:
            return ReadResult(outcome="gone")
        delivered = True
        if reading.outcome == "answered" and reading.place is not None:
            delivered = await tell(reading.place.pause.workflow_id, reading.place.pause.pause_key)
        return ReadResult(outcome=reading.outcome, delivered=delivered)

    async def _read(self, reading: Reading, place: ReadingPlace, attempt: int, signal: CancellationSignal) -> SettleReading:
        """The answer, or why there is none."""
        call = place.call
        frame = frame_of(
            place.frame,
            execution=place.pause.execution,
            node=place.node,
            agent=place.pause.agent,
            call=call,
            attempt=attempt,
            signal=signal,
        )
        usage: Usage | None = None
        try:
            interpreter = self._interpreter(place.pause.channel)
            if interpreter.definition.decided_by is DecidedBy.CODE:
                decision = await self._by_code(interpreter, place, reading.reply or "", frame)
                from_model = False
            else:
                answer = await self._asked(interpreter, place, reading.reply or "", frame)
                # The one place where a reading's cost is known: it is kept whatever becomes of the answer (R18).
                usage = answer.usage
                decision = yes_no_decision(answer) if isinstance(answer, YesNoAnswer) else chat_decision(answer)
                from_model = True
            given = answer_of(
                decision,
                responder=reading.responder,
                tool=call.tool,
                asked=call.arguments,
                assembled=self._assembled,
            )
            if from_model:
                refuse_masks(given.decision)
        except Unreadable as unread:
            return SettleReading(reading=reading.reading, reason=str(unread), usage=usage)
        except IndexUnavailableError:
            raise
        except Exception as error:
            if isinstance(error, ModelUnavailableError) and attempt < limits.READING_ATTEMPTS:
                raise
            _log.warning(
                "a reply to channel %r could not be read (%s); its pause keeps waiting",
                place.pause.channel,
                type(error).__name__,
                extra={"execution_id": place.pause.execution, "tenant_id": place.pause.tenant},
            )
            reason = str(error) or type(error).__name__
            return SettleReading(reading=reading.reading, reason=reason, failure=to_record(error), usage=usage)
        return SettleReading(reading=reading.reading, answer=given, usage=usage)

    def _interpreter(self, channel: str) -> InterpreterBinding:
        found = self._assembled.interpreter(channel)
        if found is None:
            raise ReplyInterpreterMissingError(
                f"channel {channel!r} has no reply interpreter in the worker's deployment", channel=channel
            )
        return found

    async def _by_code(self, interpreter: InterpreterBinding, place: ReadingPlace, reply: str, frame: Frame) -> Any:
        method = self._assembled.interpret(interpreter)
        input: ReplyInput[Any] = ReplyInput(ask=question_of(place.call, self._assembled), reply=reply)
        seconds = interpreter.definition.timeout.total_seconds()
        match await self._user_code.run(method, input, frame=frame, timeout=seconds):
            case Understood(decision=decision):
                return decision
            case NotUnderstood(reason=reason):
                raise Unreadable(reason)
            case outcome:
                raise DtoValidationError(
                    f"{interpreter.definition.name}: interpret returned a {type(outcome).__name__}; return "
                    "ReplyInterpretation.understood(…) or ReplyInterpretation.not_understood(reason=…)"
                )

    async def _asked(
        self, interpreter: InterpreterBinding, place: ReadingPlace, reply: str, frame: Frame
    ) -> ModelAnswer | YesNoAnswer:
        """A chat model's answer, or a decision model's."""
        definition = interpreter.definition
        provider = self._assembled.any_model(definition.model or "")
        instructions = self._assembled.instructions(interpreter)
        seconds, tenant = definition.timeout.total_seconds(), place.frame.tenant
        if isinstance(provider, ModelProvider):
            request = chat_request(interpreter, instructions, place.call, reply, tenant=tenant)
            answer: ModelAnswer = await self._user_code.run(provider.complete, request, frame=frame, timeout=seconds)
            return answer
        question = yes_no_question(interpreter, instructions, place.call, reply, tenant=tenant)
        likely: YesNoAnswer = await self._user_code.run(provider.decide, question, frame=frame, timeout=seconds)
        return likely
