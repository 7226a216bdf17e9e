"""What must hold after every commit, and what must hold when everything has come to its end."""

from collections.abc import Callable
from typing import Any

from agboss import ChannelAnswered
from agboss.decisions.keys import under
from agboss.stores.memory import InMemoryPauseIndex
from agboss.stores.rows import AnswerRow, CallRow, EventRow, FenceRow, HolderRow, PauseRow, TreeRow, TurnRow
from agboss.stores.sqlite.index import SqlitePauseIndex
from agboss.stores.transactions.unit import from_json
from agboss.temporal.wire import Call, TakeBack, WakeStep
from tests.simulation.channels import HEARS
from tests.simulation.office import GATED, Desk, Question, did
from tests.simulation.temporal import SimTemporal
from tests.simulation.world import World

_LEGAL = {
    ("pending", "resolved"),
    ("pending", "taken"),
    ("pending", "cancelled"),
    ("resolved", "taken"),
    ("resolved", "cancelled"),
}
"""Written down again, so that a change of the project's own table is noticed."""
_OPEN = ("pending", "resolved")


class Tables:
    """The rows of an index, as they are committed."""

    def __init__(self, index: InMemoryPauseIndex | SqlitePauseIndex) -> None:
        self._index = index

    def all(self, kind: type[Any]) -> list[Any]:
        if isinstance(self._index, InMemoryPauseIndex):
            return list(self._index._tables[kind.table].values())
        return self._index._look(lambda unit: unit.rows.select(kind, ()))


class Checker:
    """One seed's checks. ``tables`` is looked at after every commit."""

    def __init__(self, world: World, tables: Tables) -> None:
        self._world = world
        self._tables = tables
        self.temporal: SimTemporal | None = None
        self.desk: Desk | None = None
        self._trees: dict[str, tuple[Any, ...]] = {}
        self._holders: dict[str, tuple[Any, ...]] = {}
        self._pauses: dict[str, tuple[Any, ...]] = {}
        self._calls: dict[str, Any] = {}
        self._turns: dict[str, Any] = {}
        self._answers: dict[tuple[str, str], Any] = {}
        self._events: dict[tuple[str, int], str] = {}
        self.ever: dict[str, PauseRow] = {}
        """Every pause there was, as it was last seen: retention removes rows."""

    def committed(self, label: str) -> None:
        """Check everything; ``label`` says which transaction it was."""
        self._world.counts.commits += 1
        self._check()

    def _check(self) -> None:
        trees = {tree.root: tree for tree in self._tables.all(TreeRow)}
        pauses = self._tables.all(PauseRow)
        holders = self._tables.all(HolderRow)
        fences: dict[str, list[str]] = {}
        for fence in self._tables.all(FenceRow):
            fences.setdefault(fence.root, []).append(fence.path)
        self._check_trees(trees)
        self._check_holders(holders, trees)
        self._check_pauses(pauses, trees, fences)
        self._check_journal(trees)
        self._check_rests(trees, pauses, holders)

    def _check_trees(self, trees: dict[str, Any]) -> None:
        live: dict[tuple[str, str], int] = {}
        for root, tree in trees.items():
            _, seq, rest_no, event_no, fences, outcome, output = before = self._trees.get(
                root, ("live", -1, 0, 0, 0, None, None)
            )
            self._world.holds(tree.seq >= seq and tree.rest_no >= rest_no, "a tree's numbers only grow")
            self._world.holds(tree.event_no >= event_no and tree.fences >= fences, "a tree's numbers only grow")
            if tree.cancelled_by is not None:
                self._world.holds(tree.outcome != "finished", "who was told it is cancelled never finds it finished")
            if before[0] == "ended":
                now = (tree.status, tree.rest_no, tree.event_no, tree.outcome, tree.output)
                self._world.holds(now == ("ended", rest_no, event_no, outcome, output), "an ended tree stays as it is")
            self._world.holds(not (tree.status == "ended" and tree.at_rest), "an ended tree doesn't rest")
            self._trees[root] = (
                tree.status,
                tree.seq,
                tree.rest_no,
                tree.event_no,
                tree.fences,
                tree.outcome,
                tree.output,
            )
            thread = (tree.tenant, tree.thread)
            live[thread] = live.get(thread, 0) + (tree.status == "live")
            self._world.holds(live[thread] <= 1, "one live tree a thread")

    def _check_holders(self, holders: list[Any], trees: dict[str, Any]) -> None:
        for holder in holders:
            state, motion = self._holders.get(holder.id, ("moving", 0))
            self._world.holds(holder.motion >= motion, "a holder's motion only grows")
            self._world.holds(state != "ended" or holder.state == "ended", "an ended holder stays ended")
            if trees[holder.root].status == "ended":
                self._world.holds(holder.state == "ended", "an ended tree has no holder left")
            self._holders[holder.id] = (holder.state, holder.motion)

    def _check_pauses(self, pauses: list[Any], trees: dict[str, Any], fences: dict[str, list[str]]) -> None:
        for pause in pauses:
            tree = trees[pause.root]
            before = self._pauses.get(pause.step_key)
            now = (pause.status, pause.id, pause.decision, pause.resolution, pause.responder)
            if before != now:
                if before is None:
                    self._world.holds(pause.status == "pending", "a pause begins as Pending")
                else:
                    self._changed(pause, before)
                if pause.status in ("pending", "taken"):
                    covered = any(under(pause.path, path) for path in fences.get(pause.root, ()))
                    self._world.holds(not covered, "nothing is asked or taken under a fence")
                self._pauses[pause.step_key] = now
            if tree.status == "ended":
                self._world.holds(pause.status not in _OPEN, "no record of an ended tree is open")
            self.ever[pause.step_key] = pause

    def _changed(self, pause: Any, before: tuple[Any, ...]) -> None:
        status, id, decision, _, responder = before
        self._world.holds(pause.id == id, "a pause keeps its id")
        if pause.status != status:
            self._world.holds((status, pause.status) in _LEGAL, f"no pause goes from {status} to {pause.status}")
        if decision is not None:
            self._world.holds(
                (pause.decision, pause.responder) == (decision, responder), "a recorded decision never changes"
            )
        if pause.resolution in ("replied", "decided"):
            self._world.holds(pause.decision is not None, "an answered pause has its decision")

    def _check_journal(self, trees: dict[str, Any]) -> None:
        for call in self._tables.all(CallRow):
            done = (call.result, call.failure)
            before = self._calls.get(call.step_key, (None, None))
            self._world.holds(before == (None, None) or before == done, "a call's result never changes")
            if before != done:
                self._settled(call)
                self._calls[call.step_key] = done
        for turn in self._tables.all(TurnRow):
            self._world.holds(self._turns.setdefault(turn.turn_key, turn.text) == turn.text, "a turn never changes")
        answers: dict[tuple[str, str], Any] = {}
        for answer in self._tables.all(AnswerRow):
            answers[answer.root, answer.step_key] = answer.entry
            before = self._answers.get((answer.root, answer.step_key))
            if before is not None and before != answer.entry:
                was, now = from_json(before), from_json(answer.entry)
                self._world.holds({**was, "acted_on": False} == now, "an entry changes only by not being acted on")
        self._world.holds(self._answers.keys() <= answers.keys(), "an entry is permanent")
        self._answers = answers
        for event in self._tables.all(EventRow):
            known = self._events.setdefault((event.root, event.number), event.payload)
            self._world.holds(
                known == event.payload and event.number <= trees[event.root].event_no, "an event never changes"
            )

    def _settled(self, call: Any) -> None:
        """The model reads what was decided and done."""
        if call.tool not in GATED or not call.gated:
            return
        pause = self.ever.get(call.step_key)
        self._world.holds(pause is not None and pause.status == "taken", "a gated call has a result only once it was taken")
        assert pause is not None
        decision = from_json(pause.decision)
        text = None if call.result is None else from_json(call.result)
        if not decision["approved"]:
            self._world.holds(text is not None and "rejected by" in text, "a rejection is what the model reads")
        elif text is not None and not text.startswith("Tool error"):
            wanted = decision.get("override_arguments") or from_json(call.arguments)
            self._world.holds(text == did(call.tool, wanted), "an approved call ran with what was approved")

    def _check_rests(self, trees: dict[str, Any], pauses: list[Any], holders: list[Any]) -> None:
        for root, tree in trees.items():
            if not tree.at_rest:
                continue
            own = [pause for pause in pauses if pause.root == root]
            self._world.holds(any(pause.status == "pending" for pause in own), "a rest has a waiting pause")
            self._world.holds(not any(pause.status == "resolved" for pause in own), "an untaken answer is no rest")
            moving = [holder.id for holder in holders if holder.root == root and holder.state == "moving"]
            self._world.holds(not moving, "nobody moves at a rest")
            workflow = self.temporal.workflows.get(tree.workflow_id) if self.temporal else None
            if workflow is not None and workflow.running and self.temporal:
                waiting = {pause.step_key for pause in own if pause.status == "pending"}
                for step in self.temporal.moving_steps(workflow):
                    # A cancel from the Temporal UI is an act from outside, whose T5 ends the rest (R07).
                    if isinstance(step.message, TakeBack | WakeStep):
                        continue
                    # Somebody said "look" for nothing: it finds nothing, and changes nothing.
                    idle = isinstance(step.message, Call) and step.message.step_key in waiting
                    self._world.holds(idle, f"a rest is true; {step.name} is under way")

    def ran(self, tool: str, key: str, input: dict[str, Any]) -> None:
        """A tool is about to have its effect."""
        if tool not in GATED:
            return
        pause = self.ever.get(key)
        self._world.holds(pause is not None and pause.status == "taken", "a gated tool runs only once its pause is taken")
        assert pause is not None
        decision = from_json(pause.decision)
        self._world.holds(decision["approved"], "a rejected call never runs")
        call = next(call for call in self._tables.all(CallRow) if call.step_key == key)
        wanted = decision.get("override_arguments") or from_json(call.arguments)
        self._world.holds(input == wanted, "a gated tool runs with what was approved")

    # --- at the end ---

    def ended(self, events: Callable[[str], list[str]]) -> None:
        """Everything has come to its end."""
        assert self.desk is not None and self.temporal is not None
        for tree in self._tables.all(TreeRow):
            self._world.holds(tree.status == "ended", "every tree ends")
            self._check_events(tree, events(tree.root))
        for workflow in self.temporal.workflows.values():
            self._world.holds(not workflow.running, "every workflow ends")
        self._check_effects()
        self._check_questions()
        text = "\n".join(self.temporal.texts)
        for pause in self.ever.values():
            self._world.holds(pause.id not in text, "no pause id reaches Temporal")

    def _check_events(self, tree: Any, kinds: list[str]) -> None:
        taken = [p for p in self.ever.values() if p.root == tree.root and p.status == "taken" and p.resolution == "replied"]
        self._world.holds(kinds[0] == "start" and kinds.count("start") == 1, "one start event, the first")
        self._world.holds(kinds.count("pause") == tree.rest_no, "one pause event a rest")
        self._world.holds(kinds.count("resume") == len(taken), "one resume event an answer taken")
        last = "error" if tree.outcome == "failed" else "end"
        self._world.holds(kinds[-1] == last and kinds.count("end") + kinds.count("error") == 1, "one end event, the last")

    def _check_effects(self) -> None:
        assert self.desk is not None
        inputs: dict[str, Any] = {}
        for _, key, input in self.desk.effects:
            self._world.holds(inputs.setdefault(key, input) == input, "a key's effect is always the same")
        if not self._lost("worker_killed", "attempt_lost", "index_away"):
            self._world.holds(len(inputs) == len(self.desk.effects), "without a crash, an effect is had once")

    def _check_questions(self) -> None:
        assert self.desk is not None
        by_id = {pause.id: pause for pause in self.ever.values()}
        for (id, channel), question in self.desk.questions.items():
            pause = by_id.get(id)
            self._world.holds(pause is not None, "what was asked is in the index")
            assert pause is not None
            hears = channel in HEARS
            if pause.resolution == "replied":
                self._world.holds(not question.told, "an answered question isn't taken back")
                self._told(pause, question.answered, question.last, "answered", wanted=hears)
            elif pause.resolution == "decided":
                self._check_decided(pause, channel, question)
            else:
                self._world.holds(not question.answered, "an unanswered question isn't told as answered")
                self._told(pause, question.told, question.last, "told", wanted=True)

        if not self._crashed():
            self._world.holds(not self.desk.strays, "who asked nobody is told nothing")

    def _check_decided(self, pause: Any, channel: str, question: Question) -> None:
        """Decided at once by one channel, while this one, or an earlier attempt of it, asked."""
        if pause.decided_by in (None, channel):
            self._world.holds(not question.answered, "a channel isn't told of its own decision")
        elif channel in HEARS:
            self._world.holds(not question.told, "a question that another channel decided isn't taken back")
            self._told(pause, question.answered, question.last, "answered", wanted=True)
        else:
            self._told(pause, question.told, question.last, "told", wanted=True)

    def _told(self, pause: Any, times: int, last: str, what: str, *, wanted: bool) -> None:
        if not wanted:
            self._world.holds(not times, f"who doesn't hear it isn't {what}")
            return
        self._world.holds(times > 0, f"a closed question is {what} ({pause.status}, {pause.resolution}, {pause.withdraw})")
        if not self._crashed():
            self._world.holds(times == 1 and last == what, f"without a crash a question is {what} once")

    def heard(self, answered: ChannelAnswered[Any]) -> None:
        """A channel hears of an answer: of the one that is recorded."""
        pause = next((pause for pause in self.ever.values() if pause.id == answered.pause_id), None)
        self._world.holds(pause is not None and pause.decision is not None, "only an answered question is told as answered")
        assert pause is not None
        decision = from_json(pause.decision)
        self._world.holds(answered.decision.approved == decision["approved"], "what is told is what was decided")
        self._world.holds(answered.responder == (pause.responder or pause.decided_by), "who is told of is who answered")
        if answered.acted_on is not None:
            self._world.holds(answered.acted_on == (pause.status == "taken"), "what is told to be acted on is")

    def _crashed(self) -> bool:
        """Whether something may have been told again, or to somebody who wasn't known to have asked."""
        return self._lost("worker_killed", "attempt_lost", "index_away", "clock_jumps", "user_timeout")

    def _lost(self, *faults: str) -> bool:
        return any(self._world.counts.faults.get(fault) for fault in faults)
