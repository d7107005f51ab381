"""The candidates a user named, all read before anything runs.

The rule: every mistake among the paths is told at once, in one line. What is wrong inside a file
is no mistake of the user's: that is for the judge to say.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import candidate_of_text, load_candidate
from assay.tasks.catalog import candidate_at, candidates_of

_STDIN = "-"


def load_candidates(paths: Sequence[str], task: Task | None = None) -> list[Candidate]:
    """One candidate a path, in the order given; READER:PATH#ID stands for all of that task.

    `-` is the text of one on stdin. With a `task` they are read in its format.
    """
    loaded, mistakes = [], []
    for path in paths:
        if not path:
            mistakes.append("a candidate's path is empty")
            continue
        if path == _STDIN:
            loaded.append(candidate_of_text(_standard_input()))
            continue
        try:
            for one in candidates_of(path):
                loaded.append(load_candidate(one) if task is None else candidate_at(one, task))
        except UsageError as error:
            mistakes.append(str(error))
    if mistakes:
        raise UsageError("; ".join(mistakes))
    if list(paths).count(_STDIN) > 1:
        raise UsageError("`-` is one candidate on stdin: give it once")
    return loaded


def _standard_input() -> str:
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as problem:
        raise UsageError("cannot read the candidate on stdin: it is not UTF-8 text") from problem


def short_names(names: Sequence[str]) -> list[str]:
    """Names for a table: what all paths have in common is left out, file names never are."""
    folders = [os.path.dirname(name) for name in names]
    if len({os.path.isabs(folder) for folder in folders}) != 1:
        return list(names)
    shared = os.path.commonpath(folders)
    return [os.path.relpath(name, shared) if shared else name for name in names]
