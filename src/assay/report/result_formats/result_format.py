"""ResultFormat: the contract of a format that another evaluator writes its results in.

The rule: a format turns records into texts and writes nothing itself. Every entry of the run is
either written or counted with the reason why it is not.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.data.observations.observation import TimesSeen
from assay.data.run import Entry, Judgement, Run
from assay.data.verdict import Status, Verdict

_NOT_SAFE = re.compile(r"[^\w+-]+")
_NO_ANSWER = {
    Status.NOT_RUN: "not run: Assay's own failure, which says nothing of the candidate",
    Status.INVALID_TASK: "the task itself fails, which says nothing of the candidate",
}
NO_VERDICT = "no verdict yet"
_CANDIDATE = "candidate"  # the subject of a candidate's own times


@dataclass(frozen=True)
class ExportRow:
    """One entry with its verdict, and the raw times that its stated timing is made from."""

    entry: Entry
    verdict: Verdict
    samples_us: tuple[float, ...] = ()

    @property
    def accepted(self) -> bool:
        """The only success."""
        return self.verdict.status is Status.ACCEPTED


@dataclass(frozen=True)
class Export:
    """What a format makes of a run."""

    files: Mapping[str, str]  # text by path inside the target
    written: int  # entries that are in them
    left_out: Mapping[str, int] = field(default_factory=dict)  # entries by why
    renamed: Mapping[str, int] = field(
        default_factory=dict
    )  # "dishonest as RUNTIME_ERROR": how many
    dropped: tuple[str, ...] = ()  # what the format cannot say, in words


class ResultFormat(ABC):
    """One format. `name` is that of its entry point in `assay.exports`."""

    name: str
    without_answer: tuple[Status, ...] = tuple(_NO_ANSWER)  # statuses that it cannot say

    @abstractmethod
    def export(self, run: Run, rows: Sequence[ExportRow]) -> Export:
        """The files of these rows, all of which have a status that the format can say."""

    def of_run(self, run: Run, judged: Iterable[tuple[Entry, Judgement | None]]) -> Export:
        """The files of a run; what has no answer is counted."""
        left: Counter[str] = Counter()
        rows = []
        for entry, judgement in judged:
            if judgement is None:
                left[NO_VERDICT] += 1
            elif judgement.verdict.status in self.without_answer:
                status = judgement.verdict.status
                left[_NO_ANSWER.get(status, f"the format has no word for {status.value}")] += 1
            else:
                rows.append(ExportRow(entry, judgement.verdict, _samples(judgement)))
        made = self.export(run, rows)
        return replace(made, left_out=dict(left + Counter(made.left_out)))


def _samples(judgement: Judgement) -> tuple[float, ...]:
    """The candidate's raw times under the timing that the verdict states first."""
    stated = next(iter(judgement.verdict.timing or ()), None)
    if stated is None:
        return ()
    for seen in judgement.observations:
        for one in seen.measurements if isinstance(seen, TimesSeen) else ():
            if one.subject == _CANDIDATE and (not stated.cache or one.cache == stated.cache):
                return one.samples_us
    return ()


def folders(names: Iterable[str]) -> dict[str, str]:
    """A folder for each name, `""` where there is only one; no name leads out of the target."""
    known = list(dict.fromkeys(names))
    if len(known) < 2:
        return dict.fromkeys(known, "")
    found: dict[str, str] = {}
    for name in known:
        plain = file_name(name or "not stated")
        taken = set(found.values())
        number = next(n for n in range(1, len(known) + 1) if _numbered(plain, n) not in taken)
        found[name] = _numbered(plain, number)
    return found


def _numbered(plain: str, number: int) -> str:
    return f"{plain}/" if number == 1 else f"{plain}_{number}/"


def file_name(text: str) -> str:
    """The text as the name of a file: letters, digits, `_`, `+` and `-`."""
    return _NOT_SAFE.sub("_", text) or "_"
