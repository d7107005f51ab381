"""StrategySettings: the settings of a strategy are the fields of its dataclass.

The rule: an unknown name, a text that is no number and a number out of range are the user's
mistakes, and each message says what is allowed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, Self

from assay.errors import UsageError
from assay.generators.strategies.strategy import Strategy

Value = int | float | str


def setting(
    default: Any, least: float | None = None, most: float | None = None, words: tuple[str, ...] = ()
) -> Any:
    """A field with the range that it allows: numbers, or one of some words."""
    return field(default=default, metadata={"least": least, "most": most, "words": words})


@dataclass(frozen=True)
class AdjustableStrategy(Strategy):
    """A strategy whose fields are set by name."""

    def configured(self, options: Mapping[str, str]) -> Self:
        """Itself with other values of its fields."""
        known = {one.name: one for one in fields(self)}
        for name in options:
            if name not in known:
                listed = ", ".join(known)
                raise UsageError(
                    f"strategy '{self.name}' has no setting {name!r}; it has: {listed}"
                )
        changes = {name: self._read(known[name], text) for name, text in options.items()}
        return replace(self, **changes)

    def _read(self, one: Field[Any], text: str) -> Value:
        """A text as a value of the field's type and range."""
        if isinstance(one.default, str):
            return self._word(one, text)
        kind = int if isinstance(one.default, int) else float
        try:
            value = kind(text)
        except ValueError:
            wanted = "a whole number" if kind is int else "a number"
            raise UsageError(f"setting {one.name}={text}: {wanted} is expected") from None
        least, most = one.metadata.get("least"), one.metadata.get("most")
        # A NaN is in no range: it compares false with both ends.
        inside = (least is None or value >= least) and (most is None or value <= most)
        if not inside or value != value:
            limits = f"from {least if least is not None else '-inf'}"
            limits += f" to {most}" if most is not None else " up"
            raise UsageError(f"setting {one.name}={text}: {limits} is allowed")
        return value

    def _word(self, one: Field[Any], text: str) -> str:
        """A text that must be one of the field's words."""
        words = one.metadata.get("words", ())
        if words and text not in words:
            raise UsageError(f"setting {one.name}={text}: one of {', '.join(words)} is allowed")
        return text
