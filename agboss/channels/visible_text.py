"""Showing untrusted text to people: nothing hidden, nothing that moves the cursor, nothing silently cut."""

import unicodedata

LONGEST_VALUE = 500
"""Characters of one value in a terminal."""
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK_LOOKING = frozenset("\u00a0\u115f\u1160\u2800\u3164\uffa0\u034f")


def visible(text: str, *, longest: int = LONGEST_VALUE) -> str:
    """``text`` on one line, with every control, invisible or direction-changing character shown by its code point, look-alike
    spaces too, and a mark that tells how much was cut."""
    shown = "".join(_shown(character) for character in text[:longest])
    left = len(text) - longest
    return f"{shown}⟨… {left:,} more characters⟩" if left > 0 else shown


def _shown(character: str) -> str:
    if character in "⟨⟩":
        # Our own marks: shown as code points, so that no text can imitate them.
        return f"⟨U+{ord(character):04X}⟩"
    category = unicodedata.category(character)
    hidden = category in _INVISIBLE or character in _BLANK_LOOKING or (category == "Zs" and character != " ")
    # A combining mark joins what stands before it, which may be our own frame.
    return f"⟨U+{ord(character):04X}⟩" if hidden or category in ("Mn", "Me") else character
