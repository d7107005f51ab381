"""Opened bundle: an archive as the records of a run, checked.

The rule: nothing is handed out before every file has the hash that the manifest gives, and no
judgement that is about something else than its entry. Hashes find damage and careless changes;
whoever writes a new manifest is found by the bundle's id alone, which is published beside it.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from assay.data.candidate import Candidate
from assay.data.published.bundle import BundledEntry, Manifest
from assay.data.published.recheck import Recheck
from assay.data.record import Record
from assay.data.run import Entry, Judgement, Run
from assay.data.task import Task
from assay.errors import UsageError
from assay.store.bundles.archive_reader import UnpackedFile, unpacked
from assay.store.bundles.bundle_writer import (
    CLAIMS,
    ENTRIES,
    MANIFEST,
    RUN,
    anonymous,
    source_files,
)

Read = TypeVar("Read", bound=Record)
_CLAIM_ROWS = TypeAdapter(tuple[Recheck, ...])


@contextlib.contextmanager
def opened_bundle(path: Path, expected_id: str = "") -> Iterator[OpenedBundle]:
    """The bundle, unpacked as long as it is open; a UsageError where it is not sound."""
    with tempfile.TemporaryDirectory(prefix="assay-bundle-") as folder:
        yield OpenedBundle(path, unpacked(path, Path(folder)), expected_id)


class OpenedBundle:
    """The records of one archive."""

    def __init__(self, path: Path, files: dict[str, UnpackedFile], expected_id: str) -> None:
        self.path, self._files = path, files
        if MANIFEST not in files:
            raise self._unsound(f"it holds no {MANIFEST}: it is no bundle, or the end is missing")
        self.id = files[MANIFEST].sha256
        if expected_id and self.id != expected_id.lower():
            raise self._unsound(f"its id is {self.id}, not {expected_id}")
        self.manifest = self._record(Manifest, MANIFEST)
        self._check_files()
        self.run = self._record(Run, RUN)
        lines = self._text(ENTRIES).splitlines()
        self.entries = tuple(self._parsed(BundledEntry, line, ENTRIES) for line in lines)
        self.claims = self._claims()

    def judgements(self) -> Iterator[tuple[Entry, Judgement | None]]:
        """Every entry with what was found, one at a time, each held to what it is about."""
        for one in self.entries:
            task, candidate = self._record(Task, one.task), self._candidate(one.candidate)
            named = {"name": one.name, "provenance": one.provenance}
            entry = Entry(
                number=one.number,
                task=task,
                candidate=candidate.model_copy(update=named),
                submission=one.submission,
            )
            judgement = self._judgement(one, entry) if one.judgement is not None else None
            yield entry, judgement

    def _judgement(self, one: BundledEntry, entry: Entry) -> Judgement:
        found = self._record(Judgement, str(one.judgement))
        key = entry.key(self.run.settings, self.run.assay)
        settings = self.run.settings.model_copy(update={"jobs": found.settings.jobs})
        if (
            one.judgement != f"judgements/{key}.json"
            or found.task != entry.task
            or anonymous(found.candidate) != anonymous(entry.candidate)
            or found.settings != settings
            or found.verdict.candidate_id != entry.candidate.id
        ):
            raise self._unsound(f"{one.judgement} is not about entry {one.number}")
        return found

    def _candidate(self, path: str) -> Candidate:
        found = self._record(Candidate, path)
        if path != f"candidates/{found.id}.json":
            raise self._unsound(f"{path} holds the candidate {found.id}")
        for name, text in source_files(found).items():
            if self._text(name) != text:
                raise self._unsound(f"{name} is not the source that was judged")
        return found

    def _check_files(self) -> None:
        listed = {one.path: one for one in self.manifest.files}
        if missing := sorted(listed.keys() - self._files.keys()):
            raise self._unsound(f"{missing[0]} is missing")
        if added := sorted(self._files.keys() - listed.keys() - {MANIFEST}):
            raise self._unsound(f"{added[0]} is not in its manifest")
        for path, one in listed.items():
            if self._files[path].sha256 != one.sha256:
                raise self._unsound(f"{path} was changed: its hash is not the manifest's")

    def _claims(self) -> tuple[Recheck, ...]:
        if CLAIMS not in self._files:
            return ()
        try:
            return _CLAIM_ROWS.validate_json(self._text(CLAIMS))
        except ValidationError as error:
            raise self._unsound(f"{CLAIMS} is no list of claims: {_first(error)}") from error

    def _record(self, kind: type[Read], path: str) -> Read:
        return self._parsed(kind, self._text(path), path)

    def _parsed(self, kind: type[Read], text: str, path: str) -> Read:
        try:
            return kind.model_validate_json(text)
        except ValidationError as error:
            raise self._unsound(f"{path} is no {kind.__name__}: {_first(error)}") from error

    def _text(self, path: str) -> str:
        found = self._files.get(path)
        if found is None:
            raise self._unsound(f"{path} is missing")
        try:
            return found.path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._unsound(f"{path} is not UTF-8 text") from error

    def _unsound(self, why: str) -> UsageError:
        return UsageError(f"{self.path} is not sound: {why}")


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{first['msg']} ({place})" if place else str(first["msg"])
