"""How a decorator attaches a definition to a class, and how it is read back. Nothing is registered anywhere."""

from typing import Any, TypeVar

Definition = TypeVar("Definition")
_ATTRIBUTE = "__agboss_definition__"


def attach(target: type[Any], definition: object) -> None:
    """Attach ``definition`` to the class itself.

    Raises:
        TypeError: the class is declared already, or is no class.
    """
    if not isinstance(target, type):
        raise TypeError(f"a declaration decorates a class, not a {type(target).__name__}")
    if _ATTRIBUTE in target.__dict__:
        raise TypeError(f"{target.__name__} is declared already, as {type(target.__dict__[_ATTRIBUTE]).__name__}")
    setattr(target, _ATTRIBUTE, definition)


def definition_of(target: object, kind: type[Definition]) -> Definition | None:
    """The definition of ``kind`` attached to ``target`` itself; one that a base class has doesn't count."""
    if not isinstance(target, type):
        return None
    found = target.__dict__.get(_ATTRIBUTE)
    return found if isinstance(found, kind) else None
