"""Rules for short texts that reach people, models and records (R33)."""

import unicodedata

MAX_NAME = 200
"""Characters of a tenant, thread, owner or responder."""
MAX_REASON = 2_000
"""Characters of a decision's reason."""


def one_line(text: str, *, maximum: int) -> str:
    """Return ``text`` unchanged if it is one line of at most ``maximum`` characters.

    Raises:
        ValueError: it is longer, or holds a control character (line breaks included).
    """
    if len(text) > maximum:
        raise ValueError(f"at most {maximum:,} characters are allowed, got {len(text):,}")
    for position, character in enumerate(text):
        if unicodedata.category(character) in ("Cc", "Zl", "Zp"):
            raise ValueError(f"control characters are not allowed (U+{ord(character):04X} at position {position})")
    return text


def name(text: str, *, maximum: int = MAX_NAME) -> str:
    """Return ``text`` unchanged if it is a non-blank line of at most ``maximum`` characters.

    Raises:
        ValueError: as ``one_line``, or the text is empty or only white space.
    """
    if not text.strip():
        raise ValueError("a non-blank text is needed")
    return one_line(text, maximum=maximum)
