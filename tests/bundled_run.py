"""A small stored run whose verdicts follow from its observations, and archives made by hand."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

import assay
from assay.data.observations.measurement import Timing
from assay.data.run import Entry, Judgement, Run
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.data.workload import Workload
from assay.judgement import judged_again
from assay.store.run_store import RunStore
from assay.tasks.catalog import resolve
from sample_records import candidate, judgement

SECRET = "5e" * 32
OWN = Workload(axes={"rows": 512, "cols": 2048}, dtype="float32", own=True)
RUN = Run(
    id="made-up",
    suite="native",
    settings=Settings(timing=False),
    assay=assay.__version__,
    started_at=1.7e9,
    secret=SECRET,
)


def of(entry: Entry, status: Status = Status.ACCEPTED) -> Judgement:
    """What was seen is nothing, and the verdict what the judge makes of it."""
    made = judgement(entry.candidate, RUN.settings, status)
    assert made.verdict.plan is not None
    plan = made.verdict.plan.model_copy(update={"workloads": (OWN,)})
    planned = made.verdict.model_copy(update={"plan": plan})
    return judged_again(made.model_copy(update={"task": entry.task, "verdict": planned}))


def stored(place: Path, change: Callable[[Judgement], Judgement] = lambda one: one) -> RunStore:
    """Three candidates, the last of which is not judged."""
    store, task = RunStore(place, create=True), resolve("softmax")
    run = store.begin(RUN)
    texts = {"../a b/é.py": "class ModelNew: ...", "b.py": "class ModelNew: 2", "c.py": "nothing"}
    made = [candidate(name, text) for name, text in texts.items()]
    store.add(run, [Entry(number=n, task=task, candidate=one) for n, one in enumerate(made)])
    for key, entry in list(zip(store.keys(run), store.entries(run), strict=True))[:2]:
        store.record(key, change(of(entry)))
    return store


def timed(one: Judgement, timing: Timing) -> Judgement:
    """The judgement with a time."""
    return one.model_copy(update={"verdict": one.verdict.model_copy(update={"timing": (timing,)})})


def members(archive: Path) -> list[tuple[tarfile.TarInfo, bytes]]:
    """What an archive holds."""
    with tarfile.open(archive) as found:
        return [(one, found.extractfile(one).read()) for one in found]  # type: ignore[union-attr]


def packed(
    archive: Path, given: Iterable[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.USTAR_FORMAT
) -> Path:
    """An archive of whatever is given."""
    with tarfile.open(archive, "w:gz", format=form) as out:
        for member, data in given:
            member.size = len(data) if member.isreg() else 0
            out.addfile(member, io.BytesIO(data))
    return archive


def tar_bytes(archive: Path) -> bytes:
    """The archive without its compression."""
    return gzip.decompress(archive.read_bytes())
