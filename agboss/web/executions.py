"""Starting, looking at and cancelling executions, and what of them waits."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from agboss.web.bodies import read_body
from agboss.web.gate import Admitted, check_claims, check_starts, web_of
from agboss.web.limits import MOST_LISTED
from agboss.web.once import Keep, once
from agboss.web.problems import Outcome, RefusedError
from agboss.web.responses import IDEMPOTENCY_HEADER, body_schema, documented, response_of
from agboss.web.schemas import (
    CancelBody,
    CancelDocument,
    ExecutionDocument,
    PendingDocument,
    StartBody,
    execution_document,
    listed_document,
    running_document,
)

router = APIRouter()


@router.get("/tenants/{tenant}/pending", responses=documented({200: PendingDocument}, 401, 403, 422, 429, 500, 503))
async def pending(
    request: Request,
    tenant: str,
    caller: Admitted,
    owner: str | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST_LISTED)] = 100,
) -> Response:
    """What waits for an answer, oldest first. With `owner`: that owner's view, which alone has ids, and those of the owner's
    own pauses only; the id of a channel's pause is its channel's."""
    check_claims(caller, owner=owner)
    found = await web_of(request).serving.app.pending(tenant_id=tenant, owner_id=owner, limit=limit)
    return response_of(Outcome(200, {"pending": [listed_document(listed) for listed in found]}))


@router.get(
    "/tenants/{tenant}/executions/{execution}",
    responses=documented({200: ExecutionDocument}, 401, 403, 404, 422, 429, 500, 503),
)
async def look(request: Request, tenant: str, execution: str, caller: Admitted) -> Response:
    """Where an execution stands. One that failed or was cancelled is 200, too, with its `status`. No ids of pauses."""
    stand = await web_of(request).serving.standing.now(tenant, execution)
    return response_of(Outcome(200, execution_document(stand, owners_view=False)))


@router.post(
    "/tenants/{tenant}/executions",
    responses=documented(
        {200: ExecutionDocument, 202: ExecutionDocument}, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503, 504
    ),
    openapi_extra=body_schema(StartBody) | {"parameters": [IDEMPOTENCY_HEADER]},
)
async def start(request: Request, tenant: str, caller: Admitted) -> Response:
    """Start an execution. 202: it runs. 200: it was waited for until it rested or ended."""
    check_starts(caller)
    web = web_of(request)
    body, raw = await read_body(request, StartBody, most=web.limits.body_bytes)
    check_claims(caller, owner=body.owner_id)
    serving = web.serving

    async def work(keep: Keep) -> Outcome:
        if body.workflow not in serving.workflows:
            raise RefusedError("workflow.unknown")
        started = await serving.app.execute(
            body.workflow,
            body.input,
            thread_id=body.thread_id,
            tenant_id=tenant,
            owner_id=body.owner_id,
            fields=body.fields,
            wait=False,
        )
        running = Outcome(202, running_document(started.thread_id, started.execution_id))
        if not body.wait:
            return running
        await keep(running)
        soon = timedelta(seconds=body.timeout_seconds)
        stand = await serving.standing.at_rest(tenant, started.execution_id, timeout=soon)
        return Outcome(200, execution_document(stand, owners_view=body.owner_id is not None))

    return response_of(await once(serving, caller, request, raw, work))


@router.post(
    "/tenants/{tenant}/threads/{thread:path}/cancel",
    responses=documented({200: CancelDocument}, 401, 403, 409, 413, 415, 422, 429, 500, 503),
    openapi_extra=body_schema(CancelBody) | {"parameters": [IDEMPOTENCY_HEADER]},
)
async def cancel(request: Request, tenant: str, thread: str, caller: Admitted) -> Response:
    """Cancel what moves or waits on a thread, and take its questions back. Again, or with nothing there: `cancelled: false`."""
    check_starts(caller)
    web = web_of(request)
    body, raw = await read_body(request, CancelBody, most=web.limits.body_bytes)
    check_claims(caller, name=body.cancelled_by, owner=body.owner_id)

    async def work(keep: Keep) -> Outcome:
        result = await web.serving.app.cancel(
            thread, tenant_id=tenant, owner_id=body.owner_id, cancelled_by=body.cancelled_by
        )
        return Outcome(200, {"thread_id": thread, "cancelled": result.cancelled})

    return response_of(await once(web.serving, caller, request, raw, work))
