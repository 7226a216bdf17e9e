"""``agboss run`` and ``agboss cancel``."""

import secrets
from typing import Annotated, Any

import typer

from agboss.app import App
from agboss.cli.finding import find_application
from agboss.cli.inputs import UsageError, json_object
from agboss.cli.options import ApplicationOption, JsonOption, RecordOption, TenantOption, TimeoutOption, WaitOption
from agboss.cli.output import Output, plain
from agboss.cli.results import result_document, result_shown
from agboss.cli.running import seconds, with_app
from agboss.domain.executions import CancelResult, ExecutionResult

Input = Annotated[str, typer.Argument(metavar="[INPUT]", help="JSON, @file, or - for stdin.", show_default=False)]
Owner = Annotated[str | None, typer.Option("--owner", metavar="ID", help="Whom the thread belongs to.", show_default=False)]
Thread = Annotated[
    str | None, typer.Option("--thread", metavar="ID", help="The conversation; without it, a new one.", show_default=False)
]
Fields = Annotated[
    str | None,
    typer.Option("--fields", metavar="JSON", help="The project's own fields: JSON or @file.", show_default=False),
]
By = Annotated[str | None, typer.Option("--by", metavar="NAME", help="An operator's name, recorded.", show_default=False)]


def run(
    ctx: typer.Context,
    workflow: Annotated[str, typer.Argument(metavar="WORKFLOW", help="The workflow's name.", show_default=False)],
    input: Input = "{}",
    tenant: TenantOption = None,
    owner: Owner = None,
    thread: Thread = None,
    fields: Fields = None,
    wait: WaitOption = True,
    timeout: TimeoutOption = None,
    record: RecordOption = False,
    application: ApplicationOption = None,
    json: JsonOption = False,
) -> None:
    """Run a workflow until it pauses or ends."""
    output: Output = ctx.obj
    start = json_object(input, what="input", stdin=True)
    own_fields = None if fields is None else json_object(fields, what="--fields")
    # Chosen here, so that whoever interrupts the wait knows what to cancel.
    conversation = thread or secrets.token_hex(8)

    async def execute(app: App) -> ExecutionResult[Any]:
        with output.waiting(f"{workflow} runs on thread {conversation}"):
            return await app.execute(
                workflow,
                start,
                thread_id=conversation,
                tenant_id=tenant,
                owner_id=owner,
                fields=own_fields,
                wait=wait,
                timeout=seconds(timeout),
                record=record,
            )

    result = with_app(
        find_application(application),
        execute,
        output,
        interrupted=f"the wait was interrupted; what was started goes on, on thread {conversation!r}",
    )
    output.result(result_document(result), result_shown(result))


def cancel(
    ctx: typer.Context,
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="The conversation.", show_default=False)],
    tenant: TenantOption = None,
    owner: Owner = None,
    by: By = None,
    application: ApplicationOption = None,
    json: JsonOption = False,
) -> None:
    """Cancel what runs or waits on a thread, and take its questions back."""
    output: Output = ctx.obj
    if owner is not None and by is not None:
        raise UsageError("give --owner or --by, not both")

    async def cancelled(app: App) -> CancelResult:
        return await app.cancel(thread, tenant_id=tenant, owner_id=owner, cancelled_by=by)

    result = with_app(find_application(application), cancelled, output)
    done = "cancelled; its questions are taken back" if result.cancelled else "nothing runs or waits on it"
    output.result({"thread_id": thread, "cancelled": result.cancelled}, [plain(f"thread {thread}: {done}")])
