"""Completing an override with the ``Sensitive`` values that whoever answers never saw (R24)."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from agboss.assembly.signatures import without_none
from agboss.domain.sensitive import MASK, sensitive_fields


class Overrides:
    """Completes one override; ``problems`` has what can't be completed."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def completed(
        self, model: type[BaseModel], asked: Mapping[str, Any], override: Mapping[str, Any], where: str = ""
    ) -> dict[str, Any]:
        """``override``, with the asked value of each ``Sensitive`` field that it leaves out or gives as the mask."""
        whole = dict(override)
        hidden = sensitive_fields(model)
        for name, field in model.model_fields.items():
            given = _given(name, field, whole)
            if name in hidden:
                if given is None or whole[given] == MASK:
                    self._keep(name, given, asked, whole, f"{where}{name}")
            elif given is not None:
                whole[given] = self._inside(field.annotation, asked.get(name), whole[given], f"{where}{name}")
        return whole

    def _keep(self, name: str, given: str | None, asked: Mapping[str, Any], whole: dict[str, Any], where: str) -> None:
        if name in asked:
            whole[given or name] = asked[name]
        elif given is not None:
            self.problems.append(f"{where}: it is masked, and there is no asked value to keep")

    def _inside(self, annotation: Any, asked: Any, given: Any, where: str) -> Any:
        """The same for what a field holds: a model, or models by key; in a list nobody can tell which one was meant."""
        annotation = without_none(annotation)
        if isinstance(given, BaseModel):
            given = given.model_dump(mode="json")
        if _is_model(annotation) and isinstance(given, Mapping):
            return self.completed(annotation, asked if isinstance(asked, Mapping) else {}, given, f"{where}.")
        inner = next((argument for argument in reversed(get_args(annotation)) if _is_model(argument)), None)
        if inner is None:
            return given
        if isinstance(given, Mapping):
            before = asked if isinstance(asked, Mapping) else {}
            return {key: self._inside(inner, before.get(key), value, f"{where}.{key}") for key, value in given.items()}
        if isinstance(given, Sequence) and not isinstance(given, str | bytes):
            self._check_items(inner, asked, given, where)
        return given

    def _check_items(self, model: type[BaseModel], asked: Any, given: Sequence[Any], where: str) -> None:
        """Items have no names: a hidden value that an item leaves out would be lost in silence, or reach another item."""
        before = [item for item in asked if isinstance(item, Mapping)] if isinstance(asked, Sequence) else []
        for name in sensitive_fields(model):
            field = model.model_fields[name]
            was_there = any(item.get(name) is not None for item in before)
            for position, item in enumerate(given):
                if not isinstance(item, Mapping):
                    continue
                key = _given(name, field, item)
                if (key is None and was_there) or (key is not None and item[key] == MASK):
                    text = "a hidden value of a list's item can't be kept; give it, or leave the arguments as asked"
                    self.problems.append(f"{where}.{position}.{name}: {text}")


def _given(name: str, field: FieldInfo, values: Mapping[str, Any]) -> str | None:
    """The key a field is given by: its name, or its alias."""
    return next((key for key in (name, field.alias, field.validation_alias) if isinstance(key, str) and key in values), None)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel) and get_origin(annotation) is None
