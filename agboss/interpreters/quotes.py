"""What of a mail its sender has newly written."""

import re

_HEADER = re.compile(
    r"(on\b.*\bwrote|am\b.*\bschrieb\b.*|le\b.*\ba écrit|el\b.*\bescribió|il\b.*\bha scritto|em\b.*\bescreveu)\s*:", re.I
)
"""The line a mail program puts above what it quotes."""
_SIGNATURE = "-- "


def new_text(mail: str) -> str | None:
    """The text without quoted lines, the header line above them, and the signature.

    ``None`` where old and new can't be told apart: something stands below a quote's header that is not quoted.
    """
    lines = mail.replace("\r\n", "\n").split("\n")
    kept: list[str] = []
    below_header = False
    for line in lines:
        if line == _SIGNATURE:
            break
        if line.lstrip().startswith(">"):
            continue
        if _HEADER.fullmatch(line.strip()):
            below_header = True
        elif below_header and line.strip():
            return None
        else:
            kept.append(line)
    return "\n".join(kept).strip()
