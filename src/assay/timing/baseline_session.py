"""The sessions of baselines and of the null candidate.

The rule: whatever goes wrong with one of them is a BaselineLost that names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.data.candidate import Candidate
from assay.data.settings import Settings
from assay.devices.device_registry import backend
from assay.errors import UsageError
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey, Exam
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.timing.baseline import CANDIDATE, NULL, BaselineLost, baseline, null_candidate

_MOST_TEXT = 300


@contextmanager
def named(name: str) -> Iterator[None]:
    """Turns the end of a process into the loss of a baseline; a candidate's stays what it is."""
    try:
        yield
    except ProcessLost as lost:
        if name == CANDIDATE:
            raise
        raise BaselineLost(name, lost.text[-_MOST_TEXT:]) from lost


def open_baseline(wall: Wall, exam: Exam, settings: Settings, name: str) -> Session:
    """A session in which it is built, with the weights of its constructor."""
    candidate = _candidate(name, exam, settings)
    session = Session(wall, all_packages=True)
    try:
        with named(name):
            built = Builder(exam, None).build(session, candidate, settings)
        if not built.seen.ok:
            raise BaselineLost(name, built.seen.log[-_MOST_TEXT:])
    except BaselineLost:
        session.close()
        raise
    return session


def _candidate(name: str, exam: Exam, settings: Settings) -> Candidate:
    if name == NULL:
        return null_candidate(exam.expectation(ContentKey(0)), backend(settings.device))
    try:
        return baseline(name, exam.reference.task)
    except UsageError as error:
        raise BaselineLost(name, str(error)) from error
