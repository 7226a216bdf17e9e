"""Whether a model can be a tool's input or a flow's answer: the model is told its schema, and people see it masked."""

from collections.abc import Iterable, Iterator
from dataclasses import is_dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import BaseModel, RootModel
from pydantic.errors import PydanticUserError

from agboss.domain.sensitive import Sensitive


def schema_fault(model: type[BaseModel]) -> str | None:
    """Why no model can be told what ``model`` looks like; ``None`` where it can."""
    if issubclass(model, RootModel):
        return f"{model.__name__} is a RootModel; an object with named fields is needed"
    try:
        model.model_json_schema()
    except PydanticUserError as error:
        return f"{model.__name__} has no JSON schema: {str(error).splitlines()[0]}"
    return None


def masking_fault(model: type[BaseModel]) -> str | None:
    """Why values of ``model`` can't be shown masked (S026); ``None`` where they can.

    Masking follows pydantic models, mappings and sequences. A mark that sits elsewhere would be shown to everybody, so it
    is refused before anything runs.
    """
    for inner in _models(model, set()):
        told = inner.__name__
        if issubclass(inner, RootModel):
            return f"{told} is a RootModel, which can't be shown masked; give its value a field of a model"
        if inner.model_config.get("serialize_by_alias"):
            return f"{told} is written by alias, so it can't be shown masked; leave serialize_by_alias out"
        for name, field in inner.model_fields.items():
            if _hides(field.annotation, set()):
                return f"a Sensitive mark inside {told}.{name} can't be seen; mark fields of pydantic models"
    return None


def _parts(annotation: Any) -> tuple[Any, ...]:
    """What an annotation is built from: an alias's value, a union's members, a container's items."""
    value = getattr(annotation, "__value__", None)
    return (value,) if value is not None else get_args(annotation)


def _models(annotation: Any, seen: set[Any]) -> Iterator[type[BaseModel]]:
    """All models in an annotation, at any depth, each once."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        if annotation not in seen:
            seen.add(annotation)
            yield annotation
            for field in annotation.model_fields.values():
                yield from _models(field.annotation, seen)
        return
    for part in _parts(annotation):
        yield from _models(part, seen)


def _hides(annotation: Any, seen: set[Any], *, below: Literal["alias", "record"] | None = None) -> bool:
    """Whether a mark sits where masking doesn't look: a named alias hides marks on its own value, and a dataclass, a typed
    dict or a named tuple hides everything in it, models too."""
    if get_origin(annotation) is Annotated:
        value, *marks = get_args(annotation)
        return (below is not None and _is_mark(marks)) or _hides(value, seen, below=below)
    if (value := getattr(annotation, "__value__", None)) is not None:
        return _hides(value, seen, below=below or "alias")
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    if is_model and below != "record":
        return False  # it is looked at on its own
    if is_model or _is_record(annotation):
        if annotation in seen:
            return False
        seen.add(annotation)
        if is_model and any(_is_mark(field.metadata) for field in annotation.model_fields.values()):
            return True
        hints = get_type_hints(annotation, include_extras=True)
        return any(_hides(hint, seen, below="record") for hint in hints.values())
    return any(_hides(part, seen, below=below) for part in get_args(annotation))


def _is_mark(marks: Iterable[Any]) -> bool:
    return any(mark is Sensitive or isinstance(mark, Sensitive) for mark in marks)


def _is_record(annotation: Any) -> bool:
    return isinstance(annotation, type) and (
        is_dataclass(annotation) or hasattr(annotation, "__total__") or hasattr(annotation, "_fields")
    )
