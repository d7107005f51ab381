"""Bundle writer: a stored run as the files of an archive.

The rule: the secret of the run stays in its store, because exams that are still to come are drawn
from it; the plan of an exam that was asked is shown with its verdict. One judgement is in memory at
a time.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter

import assay
from assay.data.candidate import Candidate, Provenance
from assay.data.published.bundle import BundledEntry, Manifest
from assay.data.published.recheck import Recheck
from assay.data.run import Entry, Judgement, Run
from assay.errors import UsageError
from assay.store.bundles.archive_writer import ArchiveWriter
from assay.store.bundles.evaluator_id import evaluator_id
from assay.store.run_store import RunStore

MANIFEST, RUN, ENTRIES, CLAIMS = "manifest.json", "run.json", "entries.jsonl", "claims.json"
_CLAIM_ROWS = TypeAdapter(tuple[Recheck, ...])


@dataclass(frozen=True)
class WrittenBundle:
    """What was written."""

    id: str  # SHA-256 of the manifest
    files: int
    entries: int
    unjudged: int


def write_bundle(
    store: RunStore, run: Run, claims: Sequence[Recheck], target: Path
) -> WrittenBundle:
    """Write beside the target and rename."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as out:
            written = _BundleWriter(out, run).write(store, claims)
        part.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    return written


def source_files(candidate: Candidate) -> dict[str, str]:
    """The sources to be read by people: numbered, under names that mean nothing to a shell."""
    return {
        f"sources/{candidate.id}/{number:02}_{_plain_name(source.path)}": source.text
        for number, source in enumerate(candidate.sources)
    }


def anonymous(candidate: Candidate) -> Candidate:
    """The content alone, whoever made it and whatever it is called."""
    return candidate.model_copy(update={"name": "", "provenance": Provenance()})


class _BundleWriter:
    def __init__(self, out: BinaryIO, run: Run) -> None:
        self._archive, self._run = ArchiveWriter(out), run
        self._written: set[str] = set()
        self._entries: list[BundledEntry] = []

    def write(self, store: RunStore, claims: Sequence[Recheck]) -> WrittenBundle:
        for key, (entry, judgement) in zip(
            store.keys(self._run), store.judgements(self._run), strict=True
        ):
            self._add_entry(key, entry, judgement)
        self._add(RUN, self._run.model_dump_json(indent=1))
        self._add(ENTRIES, "".join(f"{one.model_dump_json()}\n" for one in self._entries))
        if claims:
            self._add(CLAIMS, _CLAIM_ROWS.dump_json(tuple(claims), indent=1).decode())
        manifest = self._manifest().model_dump_json(indent=1)
        self._archive.add(MANIFEST, manifest)
        self._archive.close()
        return WrittenBundle(
            id=hashlib.sha256(manifest.encode()).hexdigest(),
            files=len(self._archive.files),
            entries=len(self._entries),
            unjudged=sum(one.judgement is None for one in self._entries),
        )

    def _add_entry(self, key: str, entry: Entry, judgement: Judgement | None) -> None:
        candidate, task = entry.candidate, entry.task.model_dump_json(indent=1)
        task_path = f"tasks/{hashlib.sha256(task.encode()).hexdigest()[:32]}.json"
        candidate_path = f"candidates/{candidate.id}.json"
        self._add(task_path, task)
        self._add(candidate_path, anonymous(candidate).model_dump_json(indent=1))
        for path, text in source_files(candidate).items():
            self._add(path, text)
        judgement_path = f"judgements/{key}.json" if judgement is not None else None
        if judgement is not None:
            self._add(f"judgements/{key}.json", judgement.model_dump_json())
        self._entries.append(
            BundledEntry(
                number=entry.number,
                name=candidate.name,
                submission=entry.submission,
                provenance=candidate.provenance,
                task=task_path,
                candidate=candidate_path,
                judgement=judgement_path,
            )
        )

    def _add(self, path: str, text: str) -> None:
        if path not in self._written:
            self._written.add(path)
            self._archive.add(path, text)

    def _manifest(self) -> Manifest:
        return Manifest(
            run=self._run.id,
            assay=self._run.assay,
            bundled_by=assay.__version__,
            evaluator=evaluator_id(),
            files=tuple(self._archive.files),
        )


def _plain_name(path: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]", "_", path.rpartition("/")[2])[-60:] or "_"
