"""Texts: what a value may read as, where it is text that is known whole or in part.

The rule: `*` stands for an unknown part, and a value that may be many things keeps at most a few of
them; whoever needs certainty asks for a constant instead.
"""

from __future__ import annotations

import itertools
import posixpath
import re

from assay.source_analysis.interpreter.values import NOTHING, Constant, Outline, Value, ref

MOST = 16  # readings kept of one value
_LONGEST = 200_000
UNKNOWN = "*"


def texts(value: Value) -> list[str]:
    """Everything a value may read as; nothing where it is not known to be text."""
    found = [_text(item.value) for item in value.refs if isinstance(item, Constant)]
    found += [item.text for item in value.refs if isinstance(item, Outline)]
    return sorted({text for text in found if text is not None})[:MOST]


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value if isinstance(value, str) else None


def outlined(readings: list[str]) -> Value:
    """A value that may read as any of these; one without an unknown part is still an outline."""
    known = [text[:_LONGEST] for text in readings if text.strip(UNKNOWN + "/")]
    return Value(frozenset(Outline(text) for text in sorted(set(known))[:MOST]))


def joined(parts: list[Value], between: str = "") -> Value:
    """The parts one after the other: constant where all are, else an outline."""
    constants = [part.constant() for part in parts]
    if parts and all(c is not None and isinstance(c.value, str) for c in constants):
        return ref(Constant(between.join(str(c.value) for c in constants if c)[:_LONGEST]))
    return outlined([between.join(choice) for choice in _choices(parts)])


def joined_path(parts: list[Value]) -> Value:
    """`os.path.join`: an absolute part starts anew."""
    if not parts:
        return NOTHING
    return outlined([posixpath.join(*choice) for choice in _choices(parts)])


def _choices(parts: list[Value]) -> list[tuple[str, ...]]:
    readings = [_readings(part) for part in parts]
    return list(itertools.islice(itertools.product(*readings), MOST))


def _readings(part: Value) -> list[str]:
    constant = part.constant()
    if constant is not None and not isinstance(constant.value, str | bytes):
        return [str(constant.value)]
    return texts(part) or [UNKNOWN]


def formatted(template: str) -> str:
    """`template.format(...)` with every field unknown."""
    plain = template.replace("{{", "\0").replace("}}", "\1")
    plain = re.sub(r"\{[^{}]{0,80}\}", UNKNOWN, plain)
    return plain.replace("\0", "{").replace("\1", "}")


def percent_formatted(template: str) -> str:
    """`template % ...` with every field unknown."""
    return re.sub(r"%(\(\w+\))?[-+ #0]*[\d.*]*[diouxXeEfFgGcrsa]", UNKNOWN, template)
