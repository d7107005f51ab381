"""Columns of a claims table: what each is called, and in which unit it is.

The rule: a column without a unit is never guessed at: `runtime` alone says nothing. A figure that
is no positive number is not taken over, and that is said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

_ALIASES = {
    "task": "task task_id task_name problem problem_name op operator operation benchmark",
    "candidate": "candidate candidate_path path file kernel kernel_path kernel_file solution",
    "source": "source code kernel_source kernel_code predict",
    "device": "device gpu board card hardware gpu_name device_name",
    "correct": "correct correctness is_correct passed passes pass valid",
    "speedup": "speedup speed_up x speedup_x speedup_vs_torch speedup_vs_eager speedup_vs_pytorch",
    "baseline": "baseline baseline_name reference compared_with against",
    "sizes": "sizes shape axes at",
}
_TIMES = "time runtime latency duration kernel_time mean median mean_time median_time"
_BASELINES = "baseline baseline_time reference reference_time ref ref_time torch eager pytorch"
_TIME_UNITS = {"us": 1.0, "microseconds": 1.0, "ms": 1e3, "milliseconds": 1e3, "ns": 1e-3, "s": 1e6}
_ALONE = ("us", "microseconds", "ms", "milliseconds", "ns")  # these name a time by themselves
_RATES = {
    "bytes_per_s": {"gb_s gbs gbps gb_per_s gb_sec": 1e9, "tb_s tbs tbps tb_per_s": 1e12},
    "flops_per_s": {
        "tflops tflop_s tflops_s tflop_per_s tflops_per_s": 1e12,
        "gflops gflop_s gflops_s gflop_per_s gflops_per_s": 1e9,
    },
}
_RATE_PREFIXES = ("", "bandwidth_", "memory_bandwidth_", "throughput_", "achieved_")
_AUTHORS = re.compile(r"^(?:claimed|published|reported|their)_")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_TRUE = ("true", "yes", "y", "1", "1.0", "pass", "passed", "ok", "correct")
_FALSE = ("false", "no", "n", "0", "0.0", "fail", "failed", "wrong", "incorrect")
_FIGURES = ("speedup", "time_us", "baseline_us", "bytes_per_s", "flops_per_s")


@dataclass(frozen=True)
class Column:
    """What a column says: a field of a claim, and the factor to its unit."""

    name: str
    factor: float = 1.0


def _columns() -> dict[str, Column]:
    found = {alias: Column(name) for name, words in _ALIASES.items() for alias in words.split()}
    for unit, factor in _TIME_UNITS.items():
        for words, name in ((_TIMES, "time_us"), (_BASELINES, "baseline_us")):
            found |= {f"{word}_{unit}": Column(name, factor) for word in words.split()}
    found |= {unit: Column("time_us", _TIME_UNITS[unit]) for unit in _ALONE}
    for name, units in _RATES.items():
        for words, factor in units.items():
            for word in words.split():
                found |= {f"{prefix}{word}": Column(name, factor) for prefix in _RATE_PREFIXES}
    return found


COLUMNS = _columns()


def column_of(title: str) -> Column | None:
    """The column that a heading names; None where it is none of ours."""
    plain = title.strip().lower().replace("µ", "u").replace("μ", "u")
    plain = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return COLUMNS.get(_AUTHORS.sub("", plain))


def unknown_columns(titles: Iterable[str]) -> list[str]:
    """Headings that say nothing to us."""
    return [title for title in titles if column_of(title) is None]


@dataclass
class RowFields:
    """What one row says, each in its unit."""

    texts: dict[str, str] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    correct: bool | None = None
    unread: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> RowFields:
        """Read what can be read, and note the rest."""
        fields = cls()
        for title, value in row.items():
            column = column_of(str(title))
            if column is not None and value is not None and str(value).strip():
                try:
                    fields._take(column, value)
                except ValueError as error:
                    fields.unread.append(f"{title}: {error}")
        return fields

    def _take(self, column: Column, value: Any) -> None:
        if column.name in _FIGURES:
            self.figures.setdefault(column.name, figure(value) * column.factor)
        elif column.name == "correct":
            self.correct = truth(value)
        elif column.name == "sizes":
            self.sizes = sizes(value)
        elif not isinstance(value, str | int):
            raise ValueError(f"it is a {type(value).__name__}, not a text")
        else:
            kept = str(value) if column.name == "source" else str(value).strip()
            self.texts.setdefault(column.name, kept)


def figure(value: Any) -> float:
    """A positive number; `3.2x` and `83,972` are numbers too."""
    text = str(value).strip().lower().removesuffix("x").removesuffix("×").strip()
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    try:
        found = float(text)
    except ValueError:
        raise ValueError(f"{str(value)[:40]!r} is no number") from None
    if isinstance(value, bool) or not math.isfinite(found) or found <= 0:
        raise ValueError(f"{str(value)[:40]!r} is no positive number")
    return found


def truth(value: Any) -> bool:
    """Yes or no, however it is written."""
    text = str(value).strip().lower()
    if text in _TRUE or text in _FALSE:
        return text in _TRUE
    raise ValueError(f"{str(value)[:40]!r} is neither yes nor no")


def sizes(value: Any) -> dict[str, int]:
    """`rows=512 cols=2048`, or an object of integers."""
    pairs = (
        [(str(name), str(size)) for name, size in value.items()]
        if isinstance(value, Mapping)
        else [tuple(part.split("=", 1)) for part in re.split(r"[\s,;]+", str(value)) if "=" in part]
    )
    if not pairs or not all(size.isascii() and size.isdecimal() for _, size in pairs):
        raise ValueError(f"{str(value)[:40]!r} is not of the form NAME=SIZE")
    return {name: int(size) for name, size in pairs}
