"""Calling ``send``: of one channel, or of all that fill a role, side by side and as one question."""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from agboss.assembly.answers import answer_of
from agboss.assembly.assembled import Assembled
from agboss.declare.context import CancellationSignal
from agboss.domain.asks import ChannelAsk
from agboss.domain.outcomes import AwaitReply, Decided
from agboss.errors import DtoValidationError
from agboss.ports.pause_index import Answer, OpenSend, SentPause
from agboss.temporal.activities.frames import frame_of, question_of
from agboss.temporal.failures import to_record
from agboss.temporal.user_code import UserCode, UserCodeTimeout
from agboss.temporal.wire import Ask

_log = logging.getLogger("agboss.channels")


@dataclass(frozen=True, slots=True)
class _One:
    """What the ``send`` of one channel came to."""

    channel: str
    answer: Answer | None = None
    """It decided at once."""
    error: Exception | None = None

    @property
    def unclear(self) -> bool:
        """It failed, and may have asked all the same (R34)."""
        return isinstance(self.error, UserCodeTimeout)

    @property
    def has_asked(self) -> bool:
        """Somebody may have seen the question."""
        return (self.answer is None and self.error is None) or self.unclear


class Sends:
    """Puts questions to their channels."""

    def __init__(self, assembled: Assembled, user_code: UserCode) -> None:
        self._assembled = assembled
        self._user_code = user_code

    async def outcome(self, step: Ask, opened: OpenSend, signal: CancellationSignal) -> tuple[SentPause, Exception | None]:
        """What the question came to, and the error that it fails the step with.

        Several channels: the first that decides decides for all; else it is asked where one of them asks; else the first
        error fails the step.
        """
        names = step.channel.asked
        ended: list[_One] = []

        async def one(name: str) -> None:
            ended.append(await self._one(step, opened, name, signal))

        await asyncio.gather(*(one(name) for name in names))
        decided = next((one for one in ended if one.answer is not None), None)
        asks = any(one.answer is None and one.error is None for one in ended)
        error = None if decided is not None or asks else next(one.error for one in ended if one.error is not None)
        several = len(names) > 1
        if several:
            self._warn(step, opened, ended, decided=decided, failed=error is not None)
        sent = SentPause(
            ref=step.ref,
            step_key=step.step_key,
            attempt=opened.attempt,
            outcome="failed" if error else "decided" if decided else "sent",
            answer=decided.answer if decided else None,
            failure=None if error is None else to_record(error),
            unclear=error is not None and any(one.unclear for one in ended),
            asked=tuple(name for name in names for one in ended if one.channel == name and one.has_asked)
            if several
            else None,
            decided_by=decided.channel if several and decided else None,
            rest=step.rest,
        )
        return sent, error

    async def _one(self, step: Ask, opened: OpenSend, name: str, signal: CancellationSignal) -> _One:
        try:
            outcome = await self._called(step, opened, name, signal)
            return _One(name, answer=self._answer(step, opened, name, outcome))
        except Exception as raised:
            return _One(name, error=raised)

    async def _called(self, step: Ask, opened: OpenSend, name: str, signal: CancellationSignal) -> Any:
        call = opened.call
        ask: ChannelAsk[object] = ChannelAsk(
            pause_id=opened.pause_id,
            channel=step.channel.name,
            value=question_of(call, self._assembled),
        )
        # One signal for all: they begin together and have the same time, so what ends one's ends all's.
        frame = frame_of(
            opened.frame,
            execution=step.execution,
            node=opened.node,
            agent=step.agent,
            call=call,
            attempt=opened.attempt,
            signal=signal,
            sending=True,
        )
        channel = self._assembled.channel(name)
        return await self._user_code.run(channel.send, ask, frame=frame, timeout=step.timeout_seconds)

    def _answer(self, step: Ask, opened: OpenSend, name: str, outcome: Any) -> Answer | None:
        """``None``: await the reply.

        Raises:
            DtoValidationError: the channel decided something invalid, or returned no outcome (S054, R25).
        """
        match outcome:
            case AwaitReply():
                return None
            case Decided(decision=decision):
                raw = decision.model_dump(mode="json", exclude_unset=True) if isinstance(decision, BaseModel) else decision
                return answer_of(raw, responder=None, tool=step.tool, asked=opened.call.arguments, assembled=self._assembled)
        raise DtoValidationError(
            f"channel {name!r}: send returned a {type(outcome).__name__}; return "
            "ChannelOutcome.await_reply() or ChannelOutcome.decided(…)"
        )

    def _warn(self, step: Ask, opened: OpenSend, ended: list[_One], *, decided: _One | None, failed: bool) -> None:
        """One warning for each channel whose outcome counts for nothing: the step goes on without it."""
        for one in ended:
            if one.error is not None and not failed:
                self._warning("channel.send-failed", one, f"{type(one.error).__name__}, and others ask", step, opened)
            elif one.answer is not None and one is not decided:
                self._warning("channel.send-too-late", one, "it decided after another channel had", step, opened)

    def _warning(self, code: str, one: _One, what: str, step: Ask, opened: OpenSend) -> None:
        # An error's own text may repeat the pause's id, so its kind alone is logged.
        _log.warning(
            "%s: channel %r: %s; execution %s, tenant %r",
            code,
            one.channel,
            what,
            step.execution,
            opened.frame.tenant,
            extra={"code": code, "execution_id": step.execution, "tenant_id": opened.frame.tenant},
        )
