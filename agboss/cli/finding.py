"""Finding the application: ``--application module:name``, or ``[tool.agboss] application`` of the nearest pyproject.toml."""

import importlib
import sys
import tomllib
import traceback
from pathlib import Path

from agboss.application import Application
from agboss.errors import ConfigurationError

_FORM = "module:name, like application:office"
_OWN = Path(__file__).parents[1]


def find_application(named: str | None) -> Application:
    """The application that the option, the environment or the project names; its folder is put on ``sys.path``.

    Raises:
        ConfigurationError: there is none; the message says what is wrong, in which file, and what to do.
    """
    if named is not None:
        folder, source = Path.cwd(), "--application (or AGBOSS_APPLICATION)"
    else:
        file = _project_file(Path.cwd())
        named, folder, source = _named_in(file), file.parent, f"[tool.agboss] in {file}"
    module, colon, attribute = named.partition(":")
    if not (colon and module.strip() and attribute.isidentifier()):
        raise ConfigurationError(f"{source} says {named!r}, which names no application; write {_FORM}")
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return _loaded(module, attribute, source=source, folder=folder)


def _project_file(start: Path) -> Path:
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").is_file():
            return folder / "pyproject.toml"
    raise ConfigurationError(
        f"there is no pyproject.toml in {start} or above it; run in your project's folder, or give --application {_FORM}"
    )


def _named_in(file: Path) -> str:
    try:
        project = tomllib.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"{file} can't be read: {error}; mend it, or give --application {_FORM}") from error
    tool = project.get("tool")
    section = tool.get("agboss") if isinstance(tool, dict) else None
    named = section.get("application") if isinstance(section, dict) else None
    if not isinstance(named, str):
        raise ConfigurationError(
            f'{file} names no application; add\n  [tool.agboss]\n  application = "module:name"\nor give --application {_FORM}'
        )
    return named


def _loaded(module: str, attribute: str, *, source: str, folder: Path) -> Application:
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(error.name + ".")):
            raise _broken(module, error) from error
        raise ConfigurationError(
            f"{source} names module {module!r}, and there is no module {error.name!r} in {folder} or installed; "
            "correct the name, or run in the folder the module is in"
        ) from error
    except (Exception, SystemExit) as error:
        raise _broken(module, error) from error
    if not hasattr(loaded, attribute):
        there = ", ".join(name for name, value in vars(loaded).items() if isinstance(value, Application)) or "none"
        raise ConfigurationError(
            f"{source} names {attribute!r}, which module {module!r} doesn't have; its applications: {there}"
        )
    found = getattr(loaded, attribute)
    if not isinstance(found, Application):
        raise ConfigurationError(
            f"{source} names {module}:{attribute}, which is a {type(found).__name__} and no agboss.Application; "
            "name the object that Application(…) made"
        )
    return found


def _broken(module: str, error: BaseException) -> ConfigurationError:
    """The user's own code failed while it was imported: told with the line of it that did."""
    told = f"{type(error).__name__}: {error}"
    return ConfigurationError(f"module {module!r} failed while it was imported; mend it:\n{_where(error)}  {told}")


def _where(error: BaseException) -> str:
    """The deepest frame in code of the user's own: no library's, none of ours."""
    if isinstance(error, SyntaxError) and error.filename:
        return f"  {error.filename}:{error.lineno}\n"
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if _is_users(frame.filename)]
    return f"  {own[-1].filename}:{own[-1].lineno}: {own[-1].line}\n" if own else ""


def _is_users(filename: str) -> bool:
    path = Path(filename)
    library = (
        filename.startswith("<") or "site-packages" in path.parts or path.is_relative_to(Path(tomllib.__file__).parents[1])
    )
    return not library and not path.is_relative_to(_OWN)
