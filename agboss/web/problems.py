"""Refusals as problem documents (RFC 9457): one table from an error's code to status, title and detail. Texts are the
table's own, so that nothing of a request can be in them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agboss.errors import AgbossError, DtoValidationError, WaitTimeoutError

MEDIA_TYPE = "application/problem+json"


class _Row(NamedTuple):
    code: str
    status: int
    title: str
    detail: str


_TABLE = (
    _Row("caller.unknown", 401, "Unknown caller", "Give the secret of a caller as Authorization: Bearer …"),
    _Row("caller.tenant", 403, "Not your tenant", "This caller doesn't act for this tenant."),
    _Row("caller.answers-as", 403, "Not your name", "This caller may not answer or cancel under this name."),
    _Row("caller.owner", 403, "Not your owner", "This caller may not act as this owner."),
    _Row("caller.starts", 403, "Not yours to start", "This caller may not start or cancel executions."),
    _Row("http.not-found", 404, "No such address", "There is nothing at this address; see /openapi.json."),
    _Row("http.method", 405, "No such method", "This address has other methods; see /openapi.json."),
    _Row("http.media-type", 415, "Not JSON", "Send the body as application/json, in UTF-8, without a content coding."),
    _Row("http.body-too-large", 413, "Too large", "The body is larger than this server reads."),
    _Row("http.too-many-requests", 429, "Too many requests", "Wait as long as Retry-After says."),
    _Row("http.key-in-use", 409, "Under way", "The request with this idempotency key is under way; repeat it later."),
    _Row("http.key-reused", 422, "Another request's key", "This idempotency key came with another request before."),
    _Row("dto.validation", 422, "Not valid", "The request is not valid; see problems."),
    _Row("pause.unknown", 404, "No such pause", "No pause of this tenant has this id; check the id and the tenant."),
    _Row(
        "pause.wrong-answerer", 403, "Wrong credential", "Give exactly one of owner_id and answered_by: the one asked for."
    ),
    _Row("pause.four-eyes", 403, "Two people are needed", "The thread's owner may not answer this pause."),
    _Row("pause.no-reply-interpreter", 422, "No free text", "The pause's channel can't read replies; give a decision."),
    _Row(
        "pause.uninterpretable-reply",
        422,
        "No clear answer",
        "The reply could not be read as an answer, and the pause keeps waiting: send a clearer one, or a decision.",
    ),
    _Row("pause", 409, "Refused", "The pause can't be answered."),
    _Row("workflow.unknown", 404, "No such workflow", "The application has no workflow of this name."),
    _Row("run.unknown", 404, "No such execution", "The tenant has no execution of this id."),
    _Row("run.not-paused", 409, "Not paused", "The pause doesn't wait any more: answered, withdrawn or cancelled."),
    _Row("run.thread-busy", 409, "Thread busy", "An execution of the thread moves or waits; answer it or cancel it."),
    _Row("run.thread-owner", 403, "Not the owner's thread", "The thread belongs to another owner."),
    _Row("run.owner-required", 422, "Owner needed", "The workflow can ask the thread's owner; give owner_id."),
    _Row("run.wait-timeout", 504, "Still running", "What was asked is kept; the wait alone is over. Look again."),
    _Row("run", 409, "Refused", "The execution isn't there any more."),
    _Row("index.unavailable", 503, "Index away", "The pause index can't be used now; try again."),
    _Row("index.missing", 503, "Index missing", "The server has no pause index; its operator must look."),
    _Row(
        "index.schema",
        503,
        "Index of another version",
        "The server's pause index is of another version; its operator must look.",
    ),
    _Row("temporal.unavailable", 503, "Temporal away", "Nothing was started, and no reply was read; try again."),
    _Row("", 500, "Internal error", "This is the server's fault; its log says more."),
)
"""The first code that fits counts, or is what the error's begins with."""
STATUSES: Mapping[str, int] = {row.code: row.status for row in _TABLE}
_RETRY_SECONDS = 1
"""After 503, and after a key that is in use."""


class RefusedError(AgbossError):
    """Refused by the HTTP interface itself; the code says why."""

    def __init__(self, code: str, *, retry_after: float | None = None) -> None:
        super().__init__(code)
        self.refusal = code
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class Outcome:
    """A response: its status, its document, and what of its headers isn't the same everywhere."""

    status: int
    document: Mapping[str, Any]
    headers: Mapping[str, str] = field(default_factory=dict)


def problem(code: str, *, retry_after: float | None = None, problems: Sequence[str] = (), **more: Any) -> Outcome:
    """The problem document of a code."""
    row = next(row for row in _TABLE if not row.code or code == row.code or code.startswith(row.code + "."))
    document: dict[str, Any] = {
        "type": f"urn:agboss:{code}",
        "title": row.title,
        "status": row.status,
        "detail": row.detail,
        "code": code,
        **more,
    }
    if problems:
        document["problems"] = list(problems)
    headers = {}
    if row.status == 503 or code == "http.key-in-use":
        retry_after = retry_after or _RETRY_SECONDS
    if retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
    if row.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return Outcome(row.status, document, headers)


def problem_of(error: AgbossError) -> Outcome:
    """The problem document of an error: nothing of its message, which may repeat what was sent."""
    match error:
        case RefusedError():
            return problem(error.refusal, retry_after=error.retry_after)
        case DtoValidationError():
            return problem(error.code, problems=error.problems)
        case WaitTimeoutError():
            return problem(error.code, **{name: error.data[name] for name in ("thread_id", "execution_id")})
    return problem(error.code)
