"""Answering a pause."""

from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from agboss.errors import NotPausedError
from agboss.web.bodies import read_body
from agboss.web.gate import Admitted, check_claims, web_of
from agboss.web.once import Keep, once, request_id
from agboss.web.problems import Outcome
from agboss.web.responses import IDEMPOTENCY_HEADER, body_schema, documented, response_of
from agboss.web.schemas import AnswerBody, AnswerDocument, execution_document, running_document

router = APIRouter()


@router.post(
    "/tenants/{tenant}/answers",
    responses=documented({200: AnswerDocument, 202: AnswerDocument}, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503, 504),
    openapi_extra=body_schema(AnswerBody) | {"parameters": [IDEMPOTENCY_HEADER]},
)
async def answer(request: Request, tenant: str, caller: Admitted) -> Response:
    """Answer a pause by its id. 202: recorded. 200: it was waited for, or this very answer was recorded before. While
    Temporal is away a decision is recorded all the same, and nobody waits: 202 with `delivered: false`; a reply can't be read
    then (503). One that is no answer is 422, and the pause keeps waiting."""
    web = web_of(request)
    body, raw = await read_body(request, AnswerBody, most=web.limits.body_bytes)
    check_claims(caller, name=body.answered_by, owner=body.owner_id)
    serving = web.serving

    async def work(keep: Keep) -> Outcome:
        soon = timedelta(seconds=body.timeout_seconds)
        given: dict[str, Any] = {"decision": body.decision, "owner_id": body.owner_id, "answered_by": body.answered_by}
        try:
            # A reply is read first, and somebody who repeats the request joins its reading.
            replied: dict[str, Any] = {}
            if body.reply is not None:
                replied = {"reply": body.reply, "timeout": soon, "request_id": request_id(caller, request)}
            result = await serving.app.resume(body.pause_id, tenant_id=tenant, wait=False, **given, **replied)
        except NotPausedError:
            before = await serving.standing.repeated(tenant, body.pause_id, **given)
            if before is None:
                raise
            done, delivered, repeated = before, before.taken, True
        else:
            done = await serving.standing.recorded(tenant, body.pause_id)
            delivered, repeated = result.delivered, False
        told = {"delivered": delivered, "repeated": repeated}
        recorded = Outcome(202, running_document(done.thread_id, done.execution_id) | told)
        if body.wait and (delivered or repeated):
            await keep(recorded)
            stand = await serving.standing.at_rest(tenant, done.execution_id, step_key=done.step_key, timeout=soon)
            told["delivered"] = True
        elif repeated:
            stand = await serving.standing.now(tenant, done.execution_id)
        else:
            return recorded
        return Outcome(200, execution_document(stand, owners_view=body.owner_id is not None) | told)

    return response_of(await once(serving, caller, request, raw, work))
