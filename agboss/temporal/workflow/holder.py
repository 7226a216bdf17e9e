"""A holder: one workflow of a tree. It counts what moves in it, waits for answers and asks the index when it may rest.

The count is exact: a task counts from its start to its end, except while it waits on a handle. Whoever makes another task
able to move counts it before it stops counting itself, so the count is zero only when nothing in the holder can move.
"""

import asyncio
from typing import assert_never

from agboss.decisions.rests import AskAgain, AwaitClosure, Judgement, LookAt, Rested, StopItself, judge
from agboss.domain.ids import PauseKey
from agboss.domain.rests import HolderRef, Owed, RestAnswer, RestRequest
from agboss.temporal.workflow.notices import Notices
from agboss.temporal.workflow.scope import Scope
from agboss.temporal.workflow.steps import Steps, Stopped


class Handle:
    """Where one step waits for its pause. ``dirty``: someone said "look" since the step last looked."""

    def __init__(self, shown: str) -> None:
        self.shown = shown
        self.dirty = False
        self.waiter: asyncio.Future[None] | None = None

    def look(self) -> None:
        """Make the step look at its record; total, and callable at any time."""
        self.dirty = True
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)


class Holder:
    """The state that signal handlers and the flow share. Made before the first event is seen."""

    def __init__(self) -> None:
        self.handles: dict[PauseKey, Handle] = {}
        self.motion = 1
        self.moving = 1
        """The flow itself moves first."""
        self.stopping = 0
        """Decisions under way to stop others: as long as one is, no rest is asked for."""
        self.stopped = False
        self.renewing = False
        """Stopped to continue as new."""
        self.broken: Exception | None = None
        self.scopes: list[Scope] = []
        self.owed: list[Owed] = []
        """Questions to take back before the holder ends."""
        self.notices = Notices()
        self.signals = 0
        """Signals of this run, forged ones included."""
        self._events = 0
        self._waiting = 0
        self._settling = False
        self._ref: HolderRef | None = None
        self._steps: Steps | None = None

    def begin(self, ref: HolderRef, steps: Steps) -> None:
        """Give the holder its identity, before its first step."""
        self._ref = ref
        self._steps = steps

    @property
    def ref(self) -> HolderRef:
        assert self._ref is not None, "begin() comes first"
        return self._ref

    @property
    def steps(self) -> Steps:
        assert self._steps is not None, "begin() comes first"
        return self._steps

    # --- what comes from outside ---

    def signalled(self, key: PauseKey | None) -> None:
        """A signal: wake the pause's step. Where nobody here waits under that key, or it had none, nothing happens."""
        self._events += 1
        self.signals += 1
        handle = self.handles.get(key) if key is not None else None
        if handle is not None:
            handle.look()
        elif self._may_rest() and self._should_renew():
            # A parked holder is renewed by nobody else, and a run has only so many signals.
            self._ask_for_rest()

    def stop(self) -> None:
        """Stop everything: every scope cancels its tasks, in order of creation, and the flow raises ``Stopped``."""
        if not self.stopped:
            self.stopped = True
            for scope in list(self.scopes):
                scope.stop()

    def check(self) -> None:
        """Raise ``Stopped`` where the flow must not go on."""
        if self.stopped:
            raise Stopped

    def came(self, motion: int | None = None) -> None:
        """A step's result was processed; ``motion`` is the number it brought."""
        self._events += 1
        if motion is not None:
            self.motion = max(self.motion, motion)

    def check_renewal(self) -> None:
        """Before a new turn, while nothing else moves: stop here where the run is long enough.

        Raises:
            Stopped: the flow goes on in a new run.
        """
        if self._should_renew():
            self.renewing = True
            self.stop()
            raise Stopped

    # --- waiting ---

    async def wait(self, handle: Handle, *, rests: bool = False) -> None:
        """Return when someone said "look". ``rests``: the index already knows that the holder rests."""
        if handle.dirty:
            handle.dirty = False
            return
        handle.waiter = asyncio.get_running_loop().create_future()
        self._waiting += 1
        self.left(settled=rests)
        if rests:
            self._show_rest()
        try:
            await handle.waiter
        finally:
            self._waiting -= 1
            self.moving += 1
            handle.waiter = None
            handle.dirty = False

    def entered(self) -> None:
        """One more can move."""
        self.moving += 1

    def left(self, *, settled: bool = False) -> None:
        """One less can move. The last one to stop moving makes the holder ask for its rest."""
        self.moving -= 1
        if not settled and self._may_rest():
            self._ask_for_rest()

    def _ask_for_rest(self) -> None:
        if not self._settling:
            self._settling = True
            asyncio.get_running_loop().create_task(self._settle())

    def riding_request(self) -> RestRequest | None:
        """The request that rides in an ``ask``, where that ``ask`` is the only thing that moves."""
        if self.moving == 1 and not self.stopping and not self.stopped and not self._settling and not self._should_renew():
            return self._request()
        return None

    def judge_ride(self, answer: RestAnswer, *, events: int) -> bool:
        """Take in the answer to a riding request; whether the holder rests."""
        return isinstance(self._act(answer, events), Rested)

    @property
    def events(self) -> int:
        """How many events were processed; tells whether something came meanwhile."""
        return self._events

    # --- rest ---

    def _should_renew(self) -> bool:
        return self.steps.should_renew(signals=self.signals)

    def _show_rest(self) -> None:
        self.steps.show(status="paused", waiting=[h.shown for h in self.handles.values() if h.waiter is not None])

    def _may_rest(self) -> bool:
        return self.moving == 0 and self._waiting > 0 and not self.stopping and not self.stopped and not self.renewing

    def _request(self) -> RestRequest:
        return RestRequest(ref=self.ref, motion=self.motion)

    async def _settle(self) -> None:
        try:
            while self._may_rest():
                if self._should_renew():
                    # Nothing is in flight and nothing moves: the moment to continue as new. The next run asks again.
                    self.renewing = True
                    self.stop()
                    return
                events = self._events
                judgement = self._act(await self.steps.rest(self._request()), events)
                if isinstance(judgement, Rested):
                    self._show_rest()
                if not isinstance(judgement, AskAgain):
                    return
        except Exception as broken:
            # Nobody awaits this task: the flow raises what went wrong here, so that the workflow task shows it.
            self.broken = broken
            self.stop()
        finally:
            self._settling = False

    def _act(self, answer: RestAnswer, events: int) -> Judgement:
        self.motion = max(self.motion, answer.motion)
        waiting = [key for key, handle in self.handles.items() if handle.waiter is not None]
        judgement = judge(answer, something_came=self._events != events, waiting=waiting)
        match judgement:
            case LookAt(keys):
                for key in keys:
                    self.handles[key].look()
            case StopItself():
                self.stop()
            case Rested() | AwaitClosure() | AskAgain():
                pass
            case _:
                assert_never(judgement)
        return judgement
