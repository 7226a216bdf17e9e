"""A question as lines of text, for terminals."""

import json
from typing import Any

from agboss.channels.visible_text import visible


def ask_lines(*, tool: str, arguments: dict[str, Any]) -> list[str]:
    """The tool and each of its (masked) arguments, one a line."""
    width = max((len(visible(name, longest=60)) for name in arguments), default=0)
    lines = [f"Tool {visible(tool, longest=100)} asks for approval"]
    for name, value in arguments.items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        lines.append(f"  {visible(name, longest=60):<{width}}  {visible(text)}")
    return lines
