"""``agboss pending`` and ``agboss answer``."""

import sys
from typing import Annotated, Any

import typer

from agboss.app import App
from agboss.cli.finding import find_application
from agboss.cli.inputs import UsageError, asked, asked_yes_or_no, file_text, is_terminal, json_object
from agboss.cli.options import ApplicationOption, JsonOption, RecordOption, TenantOption, TimeoutOption, WaitOption
from agboss.cli.output import Output, plain
from agboss.cli.results import pauses_shown, result_document, result_shown, without_ids
from agboss.cli.running import seconds, with_app
from agboss.domain.executions import ExecutionResult
from agboss.ports.pause_index import ListedPause

WHY_NO_ARGUMENT = (
    "a pause id is not taken as an argument: who has it may answer, and arguments stay in the shell's history and in the "
    "list of processes; give it at the prompt, or as the first line of stdin"
)
Owner = Annotated[
    str | None, typer.Option("--owner", metavar="ID", help="One owner's view, with the ids.", show_default=False)
]
Approve = Annotated[
    bool | None, typer.Option("--approve/--reject", help="The decision; asked for on a terminal.", show_default=False)
]
Reason = Annotated[
    str | None, typer.Option("--reason", metavar="TEXT", help="One line, recorded; the model reads it.", show_default=False)
]
Override = Annotated[
    str | None,
    typer.Option("--override", metavar="JSON", help="Arguments in place of those asked: JSON or @file.", show_default=False),
]
Answer = Annotated[
    str | None,
    typer.Option("--answer", metavar="JSON", help="The answer to a question: JSON or @file.", show_default=False),
]
Reply = Annotated[
    str | None,
    typer.Option(
        "--reply",
        metavar="-|@FILE",
        help="Answer in free text: from the prompt or the rest of stdin (-), or from a file.",
        show_default=False,
    ),
]
As = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="Who answers, on the channel's side.", show_default=False),
]
AsOwner = Annotated[
    str | None, typer.Option("--owner", metavar="ID", help="Who answers, as the thread's owner.", show_default=False)
]


def pending(
    ctx: typer.Context,
    tenant: TenantOption = None,
    owner: Owner = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="At most so many, oldest first.")] = 100,
    application: ApplicationOption = None,
    json: JsonOption = False,
) -> None:
    """List what waits for an answer, oldest first."""
    output: Output = ctx.obj

    async def listed(app: App) -> tuple[ListedPause, ...]:
        return await app.pending(tenant_id=tenant, owner_id=owner, limit=limit)

    found = with_app(find_application(application), listed, output)
    document = {
        "pending": [
            {
                "thread_id": listed.thread,
                "execution_id": listed.execution,
                "workflow": listed.workflow,
                **listed.pause.model_dump(mode="json"),
            }
            for listed in found
        ]
    }
    if not found:
        output.result(document, [plain("Nothing waits for an answer.")])
        return
    places = [(listed.workflow, listed.thread) for listed in found]
    output.result(document, pauses_shown([listed.pause for listed in found], places))


def answer(
    ctx: typer.Context,
    misplaced: Annotated[list[str] | None, typer.Argument(hidden=True, metavar="")] = None,
    approve: Approve = None,
    reason: Reason = None,
    override: Override = None,
    question_answer: Answer = None,
    reply: Reply = None,
    answered_by: As = None,
    owner: AsOwner = None,
    tenant: TenantOption = None,
    wait: WaitOption = True,
    timeout: TimeoutOption = None,
    record: RecordOption = False,
    application: ApplicationOption = None,
    json: JsonOption = False,
) -> None:
    """Answer a pause. Its id is asked for, or read as the first line of stdin; it is never an argument."""
    output: Output = ctx.obj
    if misplaced:
        raise UsageError(WHY_NO_ARGUMENT)
    if (answered_by is None) == (owner is None):
        raise UsageError("give exactly one of --as NAME (the channel's side) and --owner ID (the thread's owner)")
    if reply is not None:
        _check_alone("--reply", approve, reason, override, question_answer)
        _check_source(reply)
    elif question_answer is not None:
        _check_alone("--answer", approve, reason, override)
    elif approve is None and not is_terminal():
        raise UsageError("give --approve, --reject, --answer or --reply: there is no terminal to ask on")
    if override is not None and approve is False:
        raise UsageError("--override goes with --approve alone")
    overridden = None if override is None else json_object(override, what="--override")
    answered = None if question_answer is None else json_object(question_answer, what="--answer")
    declared = find_application(application)
    pause_id = _pause_id()
    given: dict[str, Any]
    if reply is not None:
        given = {"reply": _reply_text(reply)}
    elif answered is not None:
        given = {"decision": answered}
    else:
        decision: dict[str, Any] = {"approved": asked_yes_or_no("Approve?") if approve is None else approve}
        decision |= {} if reason is None else {"reason": reason}
        decision |= {} if overridden is None else {"override_arguments": overridden}
        given = {"decision": decision}

    async def resume(app: App) -> ExecutionResult[Any]:
        options: dict[str, Any] = {"owner_id": owner} if owner is not None else {"answered_by": answered_by}
        with output.waiting("answering"):
            return await app.resume(
                pause_id,
                **given,
                tenant_id=tenant,
                wait=wait,
                timeout=seconds(timeout),
                record=record,
                **options,
            )

    interrupted = "the wait was interrupted; if the answer was recorded it stays, and answering again would say so"
    result = with_app(declared, resume, output, interrupted=interrupted)
    if owner is None:
        result = without_ids(result)
    output.result(result_document(result), result_shown(result))


def _check_alone(option: str, *others: object) -> None:
    if any(other is not None for other in others):
        raise UsageError(f"{option} is the whole answer: leave out all other options that decide")


def _check_source(reply: str) -> None:
    if reply != "-" and not reply.startswith("@"):
        raise UsageError(
            "the reply itself is not taken as an argument, which stays in the shell's history: give --reply - for the prompt "
            "or stdin, or --reply @file"
        )


def _reply_text(reply: str) -> str:
    """As it is in the file, or on stdin below the pause's id."""
    if reply != "-":
        return file_text(reply[1:], what="--reply")
    return asked("Reply: ") if is_terminal() else sys.stdin.read()


def _pause_id() -> str:
    pause_id = asked("Pause id: ") if is_terminal() else sys.stdin.readline().strip()
    if not pause_id:
        raise UsageError("no pause id was given: type it at the prompt, or give it as the first line of stdin")
    return pause_id
