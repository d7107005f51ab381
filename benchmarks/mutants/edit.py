"""Edit: one fault as replacements in a text.

The rule: replacements of one edit never overlap, and an edit that changes nothing is an error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Splice:
    """`text` in place of the characters from `start` to `end`."""

    start: int
    end: int
    text: str

    def moved(self, distance: int) -> Splice:
        """The same replacement in a text that begins `distance` characters earlier."""
        return replace(self, start=self.start + distance, end=self.end + distance)


@dataclass(frozen=True)
class Edit:
    """One fault of one kind."""

    kind: str
    splices: tuple[Splice, ...]

    def moved(self, distance: int) -> Edit:
        """The same edit in a text that begins `distance` characters earlier."""
        return replace(self, splices=tuple(s.moved(distance) for s in self.splices))

    def apply(self, text: str) -> str:
        """The text with the fault in it."""
        result = text
        later = len(text)
        for splice in sorted(self.splices, key=lambda s: (s.start, s.end), reverse=True):
            if splice.end > later:
                raise ValueError(f"replacements of one {self.kind} overlap")
            later = splice.start
            result = result[: splice.start] + splice.text + result[splice.end :]
        if result == text:
            raise ValueError(f"{self.kind} changes nothing")
        return result


def substitution(kind: str, start: int, end: int, text: str) -> Edit:
    """An edit of a single replacement."""
    return Edit(kind, (Splice(start, end, text),))
