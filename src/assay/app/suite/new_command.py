"""`assay new`: a task, or a candidate of a task, to begin with.

The rule: a file that is there is overwritten only with `--force`.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from assay.app.suite.suite_flags import NewFlags
from assay.errors import UsageError
from assay.tasks.catalog import resolve

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def run(flags: NewFlags) -> int:
    """Write the file, and say what to do with it."""
    path, text, then = _task(flags) if flags.kind == "task" else _candidate(flags)
    if path.exists() and not flags.force:
        raise UsageError(f"{path} is there already; --force overwrites it, -o writes another")
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    if flags.json:
        sys.stdout.write(json.dumps({"path": str(path), "next": then}) + "\n")
    else:
        sys.stdout.write(f"wrote {path}\nnext: {then}\n")
    return 0


def _task(flags: NewFlags) -> tuple[Path, str, str]:
    from assay.tasks.templates.task_template import task_template

    if not _NAME.fullmatch(flags.name):
        raise UsageError(f"'{flags.name}' is no name for a task: letters, digits and _ only")
    if flags.language is not None:
        raise UsageError("--language is for a candidate; a task is written in Python")
    path = flags.out or Path(f"{flags.name}.py")
    return path, task_template(flags.name), f"assay audit {path}"


def _candidate(flags: NewFlags) -> tuple[Path, str, str]:
    task, language = resolve(flags.name), flags.language or "cpp"
    path = flags.out or Path(f"{task.id}__{language}.py")
    from assay.tasks.templates.candidate_template import candidate_template

    options = {"python": " --track open", "cuda": " --device cuda"}.get(language, "")
    then = f"assay eval {flags.name} {path} --level smoke{options}"
    return path, candidate_template(task, language), then
