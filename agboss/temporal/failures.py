"""Errors as plain records and back: an error keeps its class, code, data and causes across processes."""

import sys
from typing import Any

from pydantic import TypeAdapter

from agboss.domain.failures import FailureRecord
from agboss.errors import AgbossError

_LONGEST_CHAIN = 10
_LONGEST_MESSAGE = 4_000
_JSON: TypeAdapter[Any] = TypeAdapter(Any)


class RemoteError(AgbossError):
    """An error whose class this process doesn't have; ``class_path`` names it."""

    code = "remote"

    def __init__(self, class_path: str, message: str) -> None:
        super().__init__(message, class_path=class_path)
        self.class_path = class_path


def to_record(error: BaseException, *, depth: int = 0) -> FailureRecord:
    """``error`` and its whole cause chain as plain data."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    data = dict(error.data) if isinstance(error, AgbossError) else {}
    return FailureRecord(
        class_path=_path(type(error)),
        ancestors=tuple(_path(base) for base in type(error).__mro__[1:-1] if base not in (BaseException, Exception)),
        code=error.code if isinstance(error, AgbossError) else None,
        message=str(error)[:_LONGEST_MESSAGE],
        data=_plain(data),
        cause=to_record(cause, depth=depth + 1) if cause is not None and depth < _LONGEST_CHAIN else None,
    )


def to_error(record: FailureRecord) -> Exception:
    """The error of ``record``, with its ``__cause__``.

    Its class is looked up among the modules that are loaded; nothing is imported, since the record came over a wire. Where
    it isn't there, the nearest ancestor that is stands in for it, and ``RemoteError`` for none.
    """
    error = _instance(record)
    if record.cause is not None:
        error.__cause__ = to_error(record.cause)
    return error


def _instance(record: FailureRecord) -> Exception:
    for path in (record.class_path, *record.ancestors):
        found = _loaded(path)
        if found is not None:
            # Without its own __init__, whose parameters nobody knows here.
            error = found.__new__(found)
            error.args = (record.message,)
            if isinstance(error, AgbossError):
                error.message = record.message
                error.data = record.data
            for name, value in record.data.items():
                if name.isidentifier() and not hasattr(type(error), name):
                    setattr(error, name, tuple(value) if isinstance(value, list) else value)
            return error
    return RemoteError(record.class_path, record.message)


def _loaded(path: str) -> type[Exception] | None:
    module, _, name = path.partition(":")
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else None


def _path(kind: type[BaseException]) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _plain(data: dict[str, Any]) -> dict[str, Any]:
    try:
        plain: dict[str, Any] = _JSON.dump_python(data, mode="json")
    except Exception:
        # An application may put anything into its errors; what is no JSON is told by its repr.
        return {str(name): repr(value) for name, value in data.items()}
    return plain
