"""Validating a decision, wherever it comes from: a caller, a channel that decides at once, an interpreter."""

from typing import Any

from pydantic import BaseModel, ValidationError

from agboss.assembly.assembled import Assembled
from agboss.assembly.validation import problems_of, validated
from agboss.domain.asks import ToolCallApprovalDecision
from agboss.domain.sensitive import masked
from agboss.errors import DtoValidationError
from agboss.ports.pause_index import ANSWERED, Answer, JsonObject, Responder


def answer_of(decision: Any, *, responder: Responder | None, tool: str, asked: JsonObject, assembled: Assembled) -> Answer:
    """A valid answer, with its overrides whole (R24) and its masked twin for the record.

    Raises:
        DtoValidationError: no valid decision, or overrides that are no input of the tool (S049–S052); of a question role: no answer of
            its type (R19).
    """
    question = assembled.answer_model(tool)
    if question is not None:
        return _answered(question, decision, responder)
    valid = _decision(decision)
    plain = valid.model_dump(mode="json", exclude_none=True)
    shown = dict(plain)
    if valid.override_arguments is not None:
        overrides = assembled.merge_override(tool, asked, valid.override_arguments)
        plain["override_arguments"] = overrides.model_dump(mode="json")
        shown["override_arguments"] = masked(overrides)
    return Answer(decision=plain, masked_decision=shown, responder=responder)


def _answered(model: type[BaseModel], given: Any, responder: Responder | None) -> Answer:
    """The answer to a question; marked as one, so that its step needs no declaration to know it."""
    plain = given.model_dump(mode="json", exclude_unset=True) if isinstance(given, BaseModel) else given
    valid = validated(model, plain, what="decision", forbid_extra=True)
    return Answer(decision={ANSWERED: valid.model_dump(mode="json")}, masked_decision=masked(valid), responder=responder)


def _decision(decision: Any) -> ToolCallApprovalDecision:
    try:
        return ToolCallApprovalDecision.model_validate(decision)
    except ValidationError as error:
        problems = problems_of(error, whole="decision")
        raise DtoValidationError(f"the decision is not valid: {'; '.join(problems)}", problems=problems) from None
