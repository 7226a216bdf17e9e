"""Checking data against a tool's input: what a model asks for, what was recorded, what an answer overrides."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from agboss.domain.sensitive import MASK, sensitive_fields
from agboss.errors import DtoValidationError


def problems_of(error: ValidationError, *, whole: str) -> list[str]:
    """One line a fault, with the field's place and without its value."""
    lines = error.errors(include_input=False, include_url=False, include_context=False)
    return [f"{'.'.join(map(str, line['loc'])) or whole}: {line['msg']}" for line in lines]


def validated(model: type[BaseModel], data: Mapping[str, Any], *, what: str, forbid_extra: bool = False) -> BaseModel:
    """``data`` as an instance of ``model``. It is JSON data, so it is read as JSON: a date may be a text.

    Raises:
        DtoValidationError: it is none; ``problems`` names the fields, not the values.
    """
    try:
        return model.model_validate_json(
            json.dumps(data, ensure_ascii=False),
            extra="forbid" if forbid_extra else None,
            by_alias=True,
            by_name=True,
        )
    except ValidationError as error:
        problems = problems_of(error, whole=what)
        raise DtoValidationError(f"{what} is no {model.__name__}: {'; '.join(problems)}", problems=problems) from None
    except (TypeError, ValueError) as error:
        raise DtoValidationError(f"{what} is no JSON data ({type(error).__name__})", problems=[f"{what}: no JSON"]) from None


def merged_override(model: type[BaseModel], asked: Mapping[str, Any], override: Mapping[str, Any]) -> BaseModel:
    """An override as the tool's input: whole, but for ``Sensitive`` fields, which keep the asked value where they are left
    out or given as their mask, since whoever answers never saw them (R24).

    Raises:
        DtoValidationError: it is no input of the tool, or has fields that the tool doesn't know (S052).
    """
    return validated(model, _with_hidden(model, asked, override), what="override_arguments", forbid_extra=True)


def _with_hidden(model: type[BaseModel], asked: Mapping[str, Any], override: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(override)
    hidden = sensitive_fields(model)
    for name, field in model.model_fields.items():
        if name not in asked:
            continue
        given = name if name in merged else field.alias if field.alias in merged else None
        inner = field.annotation
        if name in hidden and (given is None or merged[given] == MASK):
            merged[given or name] = asked[name]
        elif given is None:
            continue
        elif (
            isinstance(inner, type)
            and issubclass(inner, BaseModel)
            and isinstance(asked[name], Mapping)
            and isinstance(merged[given], Mapping)
        ):
            merged[given] = _with_hidden(inner, asked[name], merged[given])
    return merged
