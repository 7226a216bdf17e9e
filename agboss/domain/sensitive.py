"""Masking of fields that a person's eyes, logs and records must not see."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

MASK = "••••••"


class Sensitive:
    """Marks a field: ``card: Annotated[str, Sensitive()]`` is masked wherever a value is shown."""

    def __repr__(self) -> str:
        return "Sensitive()"


def masked(value: BaseModel) -> dict[str, Any]:
    """Return ``value`` as plain JSON data, with every ``Sensitive`` field masked, at any depth (S026)."""
    plain = value.model_dump(mode="json")
    return {name: _masked_field(type(value), name, getattr(value, name), plain[name]) for name in plain}


def sensitive_fields(model: type[BaseModel]) -> frozenset[str]:
    """Names of the model's own fields that are marked ``Sensitive``."""
    return frozenset(name for name, field in model.model_fields.items() if _marked(field.annotation, field.metadata))


def _masked_field(model: type[BaseModel], name: str, value: Any, plain: Any) -> Any:
    field = model.model_fields.get(name)
    if field is not None and _marked(field.annotation, field.metadata):
        return MASK
    return _masked_value(value, plain)


def _masked_value(value: Any, plain: Any) -> Any:
    if isinstance(value, BaseModel):
        return masked(value)
    if isinstance(value, Mapping) and isinstance(plain, dict):
        return {
            key: _masked_value(inner, plain_inner)
            for (key, plain_inner), inner in zip(plain.items(), value.values(), strict=True)
        }
    if isinstance(value, list | tuple | set | frozenset) and isinstance(plain, list):
        return [_masked_value(inner, plain_inner) for inner, plain_inner in zip(value, plain, strict=True)]
    return plain


def _marked(annotation: Any, metadata: list[Any] | tuple[Any, ...]) -> bool:
    if any(isinstance(mark, Sensitive) or mark is Sensitive for mark in metadata):
        return True
    # Optional[Annotated[str, Sensitive()]] and list[Annotated[...]]: the mark sits inside, the whole field is masked.
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return _marked(inner, marks)
    return any(_marked(argument, ()) for argument in get_args(annotation) if not isinstance(argument, str))
