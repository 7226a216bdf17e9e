"""Having a reply read: kept in the index first, then read by a short workflow, whose outcome is in the index again."""

import asyncio
import secrets
from datetime import timedelta

from agboss.assembly.assembled import Assembled
from agboss.decisions.keys import reading_id
from agboss.domain.ids import WorkflowId
from agboss.errors import (
    AgbossError,
    DtoValidationError,
    NotPausedError,
    ReplyInterpreterMissingError,
    TemporalUnavailableError,
    UninterpretableReplyError,
    WaitTimeoutError,
)
from agboss.ports.pause_index import BeginReading, PauseIndex, PauseRecord, Reading, ResolvedPause, Responder
from agboss.temporal.failures import to_error
from agboss.temporal.gateway import Gateway
from agboss.temporal.reading_wire import Read, ReadResult

MAX_REQUEST_ID = 200


class Replies:
    """Reads replies to waiting pauses."""

    def __init__(self, index: PauseIndex, gateway: Gateway, assembled: Assembled) -> None:
        self._index = index
        self._gateway = gateway
        self._assembled = assembled

    async def read(
        self, pause: PauseRecord, reply: str, responder: Responder, *, request_id: str | None, timeout: timedelta | None
    ) -> tuple[ResolvedPause, bool]:
        """Have it read and recorded; what was recorded, and whether the holder was told.

        Raises:
            ReplyInterpreterMissingError: the role has none.
            UninterpretableReplyError: the reply is no valid answer; the pause keeps waiting.
            NotPausedError: another answer, or a withdrawal, came first.
            TemporalUnavailableError: nobody can read it now; the pause keeps waiting.
            WaitTimeoutError: it is still being read, and may answer the pause later.
        """
        interpreter = self._assembled.interpreter(pause.channel)
        if interpreter is None:
            raise ReplyInterpreterMissingError(
                f"channel {pause.channel!r} has no reply interpreter; answer with decision=", channel=pause.channel
            )
        definition = interpreter.definition
        step = Read(
            reading=reading_id(pause.pause_key, request_id or secrets.token_hex(16)),
            interpreter=definition.name,
            tenant=pause.tenant,
            tool=pause.tool,
            timeout_seconds=definition.timeout.total_seconds(),
        )
        begun = await self._index.begin_reading(
            BeginReading(
                reading=step.reading,
                tenant=pause.tenant,
                step_key=pause.step_key,
                interpreter=definition.name,
                reply=reply,
                responder=responder,
            )
        )
        if not begun:
            known = await self._index.reading(step.reading)
            if known is not None and known.outcome is not None:
                return self._resolved(pause, known), True
        workflow_id = WorkflowId(f"{pause.workflow_id}/reading-{step.reading}")
        try:
            await self._gateway.start_reading(workflow_id, step)
        except TemporalUnavailableError:
            # The start may have arrived all the same; whoever comes to read then finds nothing to do.
            if begun:
                await self._index.drop_reading(step.reading)
            raise
        result = await self._result(workflow_id, step, pause, timeout)
        reading = await self._index.reading(step.reading)
        if reading is None or reading.outcome is None:
            raise TemporalUnavailableError("the reply was not read, because Temporal was away when it came; pass it again")
        return self._resolved(pause, reading), result.delivered

    async def _result(
        self, workflow_id: WorkflowId, step: Read, pause: PauseRecord, timeout: timedelta | None
    ) -> ReadResult:
        try:
            async with asyncio.timeout(None if timeout is None else timeout.total_seconds()):
                return await self._gateway.reading_result(workflow_id)
        except TimeoutError:
            raise WaitTimeoutError(
                f"the reply to channel {pause.channel!r} was not read in time; it still may be, and then answers the pause",
                execution_id=pause.root,
                thread_id=pause.thread,
            ) from None
        except TemporalUnavailableError as error:
            raise TemporalUnavailableError(
                f"the reply is being read, and may still answer the pause, but nobody can tell: {error}"
            ) from error
        except AgbossError as error:
            # Its activity may still run somewhere: it must not answer a pause whose caller was told that it waits.
            await self._index.drop_reading(step.reading)
            raise UninterpretableReplyError(str(error), channel=pause.channel) from error

    @staticmethod
    def _resolved(pause: PauseRecord, reading: Reading) -> ResolvedPause:
        match reading.outcome:
            case "answered":
                return ResolvedPause(
                    root=pause.root,
                    workflow_id=pause.workflow_id,
                    pause_key=pause.pause_key,
                    rest_no=reading.rest_no or 0,
                )
            case "unreadable":
                error = UninterpretableReplyError(reading.reason or "", channel=pause.channel)
                raise error from None if reading.failure is None else to_error(reading.failure)
        raise NotPausedError


def check_request_id(request_id: object) -> None:
    """Whatever names a caller's request: any text of up to 200 characters.

    Raises:
        DtoValidationError: it is none.
    """
    if request_id is not None and not (isinstance(request_id, str) and 0 < len(request_id) <= MAX_REQUEST_ID):
        told = f"request_id: a text of 1 to {MAX_REQUEST_ID} characters is needed"
        raise DtoValidationError(told, problems=[told])
