"""Executions and waiting pauses, for programs and for people."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from agboss.cli.output import facts, plain, row, table
from agboss.domain.executions import ExecutionRecord, ExecutionResult, ExecutionStatus
from agboss.domain.pauses import PauseAnswerer, PendingPause

_STYLES = {
    ExecutionStatus.FINISHED: "green",
    ExecutionStatus.PAUSED: "yellow",
    ExecutionStatus.RUNNING: "cyan",
}

_HOW_TO_ANSWER = "Answer with `agboss answer`; the id is with the channel that was asked, or with the thread's owner."


def result_document(result: ExecutionResult[Any]) -> dict[str, Any]:
    """An execution's result for programs."""
    return result.model_dump(mode="json")


def result_shown(result: ExecutionResult[Any]) -> list[RenderableType]:
    """An execution's result for people."""
    head = facts(
        status=Text(result.status.value, style=f"bold {_STYLES.get(result.status, '')}"),
        thread=result.thread_id,
        execution=result.execution_id,
    )
    if result.output is not None:
        for name, value in result.output.model_dump(mode="json").items():
            row(head, f"output {name}", value)
    if not result.delivered:
        row(head, "delivered", "not yet: Temporal is away; the answer is recorded, and the sweep will deliver it")
    shown: list[RenderableType] = [head]
    if result.pending:
        shown += [*pauses_shown(result.pending), plain(_HOW_TO_ANSWER, style="dim")]
    if result.record is not None:
        shown.append(_record_shown(result.record))
    return shown


def without_ids(result: ExecutionResult[Any]) -> ExecutionResult[Any]:
    """For a caller that is not the thread's owner: ids of the owner's pauses are the owner's alone."""
    hidden = [pause.model_copy(update={"pause_id": None}) for pause in result.pending]
    return result.model_copy(update={"pending": hidden})


def pauses_shown(pauses: Sequence[PendingPause], places: Sequence[tuple[str, str]] = ()) -> list[RenderableType]:
    """Waiting pauses, one a row; ``places`` has workflow and thread of each, where they differ. Ids that the caller may have
    follow by number: in one piece, to be copied, however narrow the terminal is."""
    where = ("workflow", "thread") if places else ("agent",)
    made = table("#", "asked", *where, "question", "answered by", title="Waiting")
    ids = table("#", "pause id (the right to answer)")
    for number, pause in enumerate(pauses):
        place = places[number] if places else (pause.agent,)
        row(made, number + 1, ago(pause.asked_at), *place, pause.ask.summary, _answerer(pause))
        if pause.pause_id is not None:
            row(ids, number + 1, pause.pause_id)
    return [made, ids] if ids.row_count else [made]


def ago(moment: datetime) -> str:
    """How long something has been, in one unit."""
    passed = (datetime.now(UTC) - moment).total_seconds()
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if passed >= length:
            return f"{int(passed // length)} {unit} ago"
    return f"{max(int(passed), 0)} s ago"


def _answerer(pause: PendingPause) -> str:
    return "the thread's owner" if pause.answered_by is PauseAnswerer.THREAD_OWNER else pause.channel


def _record_shown(record: ExecutionRecord) -> RenderableType:
    if not record.pauses:
        return plain("Nothing was decided in it yet.", style="dim")
    made = table("resolved", "agent", "tool", "resolution", "by", "decision", "acted on", title="Record")
    for entry in record.pauses:
        row(
            made,
            ago(entry.resolved_at),
            entry.step.agent,
            entry.step.tool,
            entry.resolution.value,
            entry.responder or "–",
            _decision(entry.decision),
            "yes" if entry.acted_on else "no",
        )
    return made


def _decision(decision: dict[str, Any] | None) -> str:
    if decision is None:
        return "–"
    parts = ["approved" if decision.get("approved") else "rejected"]
    parts += [f"{name}: {value}" for name, value in decision.items() if name != "approved" and value is not None]
    return ", ".join(parts)
