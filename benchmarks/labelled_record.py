"""LabelledRecord: what was found of labelled candidates, one JSON line a judgement.

The rule: a line is written when its candidate is judged and never changed; the last one of a
candidate counts. A judgement that we failed to make agrees with no label.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from labelled_sets import Labelled

from assay.data.verdict import Status, Verdict

Key = tuple[str, str]  # the set and the name in it

_MISSING = (
    re.compile(r"No module named '([\w.]+)'"),
    re.compile(r"the package ([\w.-]+) is not installed"),
    re.compile(r"fatal error: (\S+): No such file"),
)


@dataclass(frozen=True)
class LabelledRow:
    """One candidate judged once."""

    set: str
    name: str
    task: str
    language: str
    label: str
    status: str
    agrees: bool
    reason: str
    lacks: str  # what its language needs and this machine lacks; empty where nothing was missed
    own_workload: str | None
    alone: bool  # whether no other candidate was judged on the device meanwhile
    seconds: float
    remarks: str = ""  # what is to be known of the task, as that zeros pass it

    @property
    def key(self) -> Key:
        """Names its candidate."""
        return self.set, self.name

    @property
    def is_judged(self) -> bool:
        """Whether the candidate was judged; a fault of ours or of the task is no judgement."""
        return is_judgement(self.status)


def is_judgement(status: str) -> bool:
    """Whether a status says something of the candidate."""
    return status not in (Status.NOT_RUN.value, Status.INVALID_TASK.value)


def key(one: Labelled) -> Key:
    """Of a candidate that was found."""
    return one.set_name, one.name


def row_of(
    one: Labelled, verdict: Verdict | None, failure: str, alone: bool, seconds: float
) -> LabelledRow:
    """What came of one; without a verdict the reason is our failure."""
    status = Status.NOT_RUN.value if verdict is None else verdict.status.value
    return LabelledRow(
        set=one.set_name,
        name=one.name,
        task=one.task.id,
        language=one.candidate.language,
        label=one.said,
        status=status,
        agrees=agreement(status, one.right),
        reason=failure if verdict is None else verdict.reason,
        lacks="" if verdict is None else lacking(verdict),
        own_workload=None if verdict is None else verdict.own_workload.value,
        alone=alone,
        seconds=round(seconds, 1),
        remarks="" if verdict is None else "; ".join(verdict.task_remarks),
    )


def agreement(status: str, right: bool) -> bool:
    """`accepted` where the label says right, any other judgement where it says wrong."""
    return is_judgement(status) and (status == Status.ACCEPTED.value) == right


def lacking(verdict: Verdict) -> str:
    """The module, package or header that its build did not find."""
    if verdict.status is not Status.BUILD_FAILED:
        return ""
    texts = "\n".join([verdict.reason, *(one.text for one in verdict.evidence)])
    found = (one.search(texts) for one in _MISSING)
    return next((one[1] for one in found if one), "")


class LabelledRecord:
    """The file of rows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        rows = [LabelledRow(**json.loads(line)) for line in lines]
        self.rows = {row.key: row for row in rows}

    def add(self, row: LabelledRow) -> None:
        """One more, written at once."""
        self.rows[row.key] = row
        with self._path.open("a", encoding="utf-8") as out:
            out.write(json.dumps(asdict(row)) + "\n")

    def is_open(self, one: Labelled) -> bool:
        """Whether it was not judged so far."""
        row = self.rows.get(key(one))
        return row is None or not row.is_judged

    def is_doubtful(self, one: Labelled) -> bool:
        """Judged otherwise than labelled while others used the device, and never alone."""
        row = self.rows.get(key(one))
        return row is not None and not row.agrees and not row.alone and not row.lacks


def summary(rows: Iterable[LabelledRow]) -> list[str]:
    """A line a set: how many are as labelled, and the statuses of each label."""
    by_set: dict[str, list[LabelledRow]] = {}
    for row in rows:
        by_set.setdefault(row.set, []).append(row)
    return [_told(name, some) for name, some in by_set.items()]


def _told(name: str, rows: list[LabelledRow]) -> str:
    lacking_rows = [row for row in rows if row.lacks]
    rest = [row for row in rows if not row.lacks]
    table = Counter((row.label, row.status) for row in rest)
    words = [f"{label} -> {status} {n}" for (label, status), n in sorted(table.items())]
    missing = Counter(row.lacks for row in lacking_rows)
    words += [f"needs {what}, not installed {n}" for what, n in sorted(missing.items())]
    return f"{name}: {sum(row.agrees for row in rest)} of {len(rest)} as labelled: " + ", ".join(
        words
    )
