"""Validating a decision, wherever it comes from: a caller, a channel that decides at once, later an interpreter."""

from typing import Any

from pydantic import ValidationError

from agboss.assembly.assembled import Assembled
from agboss.assembly.validation import problems_of
from agboss.domain.asks import ToolCallApprovalDecision
from agboss.domain.sensitive import masked
from agboss.errors import DtoValidationError
from agboss.ports.pause_index import Answer, JsonObject, Responder


def answer_of(decision: Any, *, responder: Responder | None, tool: str, asked: JsonObject, assembled: Assembled) -> Answer:
    """A valid answer, with its overrides whole (R24) and its masked twin for the record.

    Raises:
        DtoValidationError: no valid decision, or overrides that are no input of the tool (S049–S052).
    """
    valid = _decision(decision)
    plain = valid.model_dump(mode="json", exclude_none=True)
    shown = dict(plain)
    if valid.override_arguments is not None:
        overrides = assembled.merge_override(tool, asked, valid.override_arguments)
        plain["override_arguments"] = overrides.model_dump(mode="json")
        shown["override_arguments"] = masked(overrides)
    return Answer(decision=plain, masked_decision=shown, responder=responder)


def _decision(decision: Any) -> ToolCallApprovalDecision:
    try:
        return ToolCallApprovalDecision.model_validate(decision)
    except ValidationError as error:
        problems = problems_of(error, whole="decision")
        raise DtoValidationError(f"the decision is not valid: {'; '.join(problems)}", problems=problems) from None
