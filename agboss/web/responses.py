"""Outcomes as responses, and every status of an address in the OpenAPI document."""

import json
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from agboss.web.problems import MEDIA_TYPE, Outcome
from agboss.web.schemas import ProblemDocument


def response_of(outcome: Outcome) -> Response:
    """In ASCII: half a surrogate pair in a model's text is no valid UTF-8."""
    media = "application/json" if outcome.status < 400 else MEDIA_TYPE
    content = json.dumps(outcome.document, allow_nan=False).encode("ascii")
    return Response(content, outcome.status, dict(outcome.headers), media_type=media)


def documented(good: dict[int, type[BaseModel]], *refused: int) -> dict[int | str, dict[str, Any]]:
    """What an address may respond with."""
    problem = {"content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}}}
    responses: dict[int | str, dict[str, Any]] = {status: {"model": model} for status, model in good.items()}
    # The first brings the model into the document's components; all are of the problems' media type.
    for status in refused:
        responses[status] = {"description": f"Refused: see code. {_MEANINGS[status]}", **problem}
    return responses


def body_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A body that the address reads itself, so that a caller is known before anything of it is."""
    schema = model.model_json_schema()
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


PROBLEM_SCHEMA = ProblemDocument.model_json_schema()

IDEMPOTENCY_HEADER: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same request with the same key is done once and responded to with the same response, for a day.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
}

_MEANINGS = {
    401: "No known caller.",
    403: "The caller may not do this.",
    404: "There is no such thing for this tenant.",
    405: "Not with this method.",
    409: "Not any more, or not now.",
    413: "The body is too large.",
    415: "The body is no JSON.",
    422: "The request is not valid.",
    429: "Too many requests.",
    500: "The server's fault.",
    503: "Away for now.",
    504: "Recorded; the wait is over.",
}
