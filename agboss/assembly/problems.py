"""Collecting every fault of the declarations before anything is refused."""

import re

from agboss.errors import Problem

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*\Z")
_LONGEST_NAME = 100


class Problems:
    """The faults found so far."""

    def __init__(self) -> None:
        self.found: list[Problem] = []

    def add(self, code: str, where: object, text: str) -> None:
        """Note one fault; the same one is noted once."""
        problem = Problem(code, where if isinstance(where, str) else getattr(where, "__name__", repr(where)), text)
        if problem not in self.found:
            self.found.append(problem)

    def check_name(self, where: object, name: object, *, suffix: str | None) -> None:
        """Names are lower case words joined by hyphens and end in their kind."""
        if not isinstance(name, str) or not _NAME.match(name) or len(name) > _LONGEST_NAME:
            self.add(
                "name.invalid", where, f"{name!r} is no name: lower-case words joined by hyphens, at most 100 characters"
            )
        elif suffix is not None and not name.endswith(suffix):
            self.add("name.kind-suffix", where, f"{name!r} must end in {suffix!r}")
