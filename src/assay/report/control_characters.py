"""Characters that a terminal obeys instead of showing: none of a candidate's reaches one.

The rule: an escape sequence could overwrite the verdict, and a mark of direction could turn a name
around; each is shown as its code.
"""

from __future__ import annotations

_LAYOUT = "\n\t\u00a0"


def without_controls(text: str) -> str:
    """The text with every character that is not shown, but obeyed, as its code in words."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _LAYOUT else f"U+{ord(c):04X}" for c in text)
