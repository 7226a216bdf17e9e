"""Reading what functions take and give: the part of assembly that looks at user code, and never calls it."""

import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints


def annotations_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The types of parameters and result. One that can't be resolved, like a name that is imported for type checkers
    alone, is left out and doesn't hide the others."""
    try:
        return get_type_hints(function)
    except Exception:
        # Evaluating an annotation runs what stands in it, so it may raise anything.
        raw: Mapping[str, Any] = getattr(function, "__annotations__", {})
        found = {name: _resolved(function, annotation) for name, annotation in raw.items()}
        return {name: annotation for name, annotation in found.items() if annotation is not None}


def _resolved(function: Callable[..., Any], annotation: Any) -> Any:
    names = getattr(inspect.unwrap(function), "__globals__", {})
    try:
        return get_type_hints(SimpleNamespace(__annotations__={"it": annotation}), globalns=names)["it"]
    except Exception:
        return None


def parameters_of(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The named parameters of a call to ``function``; none where Python doesn't know them."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one for one in parameters if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)]


def method_parameters(component: type[Any], method: str) -> list[inspect.Parameter]:
    """The parameters of a method as it is called on an instance, which is ``self`` less where it has one."""
    parameters = parameters_of(getattr(component, method))
    bound = isinstance(inspect.getattr_static(component, method), staticmethod | classmethod)
    return parameters if bound else parameters[1:]


def takes_one(component: type[Any], method: str) -> bool:
    """Whether ``instance.method(value)`` is a call that fits."""
    function = getattr(component, method)
    bound = isinstance(inspect.getattr_static(component, method), staticmethod | classmethod)
    try:
        inspect.signature(function).bind(*(("value",) if bound else ("self", "value")))
    except (TypeError, ValueError):
        return False
    return True


def without_none(annotation: Any) -> Any:
    """``Service`` for ``Service | None``, anything else as it is."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    others = [argument for argument in get_args(annotation) if argument is not type(None)]
    return others[0] if len(others) == 1 else annotation
