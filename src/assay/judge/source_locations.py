"""Locations in a candidate's source, in the user's words.

The rule: inside the sandbox the main file has a neutral name (`kernel.py`), so that a candidate
learns nothing of who calls; the trusted side puts the user's path back afterwards.
"""

from __future__ import annotations

import re

from assay.data.candidate import Candidate
from assay.data.evidence import Evidence

_MAIN = "kernel.py"  # the name of the main file inside the sandbox
_FOLDER = r"(?:/[\w.+-]+)*/kernel/"  # where the sandbox lays a candidate's files out


def of_user(text: str, candidate: Candidate) -> str:
    """`text` with `kernel.py:5` and `/scratch/kernel/kernel.py` as paths that the user knows."""
    named = {file.path: _users_path(file.path, candidate) for file in candidate.sources}
    if candidate.main.path.endswith(".py"):
        named.setdefault(_MAIN, named[candidate.main.path])
    paths = "|".join(re.escape(path) for path in sorted(named, key=len, reverse=True))
    place = r'(?=:\d|", line \d)'
    pattern = rf"{_FOLDER}(?P<inside>{paths})\b|(?<![\w./-])(?:\./)?(?P<bare>{paths}){place}"
    return re.sub(pattern, lambda found: named[found["inside"] or found["bare"]], text)


def evidence_of_user(item: Evidence, candidate: Candidate) -> Evidence:
    """The same finding with the user's paths."""
    where, text = of_user(item.where, candidate), of_user(item.text, candidate)
    return item.model_copy(update={"where": where, "text": text})


def _users_path(path: str, candidate: Candidate) -> str:
    """A lone file is the candidate itself; the files of a folder lie below its name."""
    alone = len(candidate.sources) == 1 and path in (_MAIN, f"kernel{_suffix(candidate.name)}")
    return candidate.name if alone else f"{candidate.name.rstrip('/')}/{path}"


def _suffix(name: str) -> str:
    return "." + name.rpartition(".")[2]
