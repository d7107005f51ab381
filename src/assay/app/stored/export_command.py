"""`assay export`: a run's verdicts in the format of another evaluator.

The rule: nothing is run. The summary says what is not in the files and why, so that nobody takes
a missing verdict for a failed one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from assay.app.report_files import replaced
from assay.app.stored.export_flags import ExportFlags
from assay.app.stored.stored_run import stored_run
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.result_formats.format_registry import RESULT_FORMATS
from assay.report.result_formats.result_format import Export


def run(flags: ExportFlags) -> int:
    """The files, and what was left out of them."""
    form = RESULT_FORMATS.get(flags.format)
    store, one = stored_run(flags.run)
    with store:
        made = form.of_run(one, store.judgements(one))
    if not made.files:
        why = "; ".join(f"{count}: {text}" for text, count in made.left_out.items())
        raise UsageError(
            f"{flags.run} holds nothing that {flags.format} can say ({why or 'empty'})"
        )
    paths = [replaced(made.files[name], path) for name, path in targets(made, flags.out).items()]
    said = _summary(flags.format, one.id, made, paths)
    if flags.json:
        sys.stdout.write(json.dumps(said) + "\n")
    else:
        result_console().print(_words(said), soft_wrap=True)
    return 0


def targets(made: Export, out: Path) -> dict[str, Path]:
    """Where each file goes: `out` itself where there is one file and `out` names a file."""
    if len(made.files) == 1 and out.suffix and not out.is_dir():
        return dict.fromkeys(made.files, out)
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file, and {len(made.files)} files need a folder: -o FOLDER")
    return {name: out / name for name in made.files}


def _summary(form: str, run: str, made: Export, paths: list[Path]) -> dict[str, Any]:
    return {
        "format": form,
        "run": run,
        "entries": made.written + sum(made.left_out.values()),
        "written": made.written,
        "left_out": dict(made.left_out),
        "renamed": dict(made.renamed),
        "dropped": list(made.dropped),
        "files": [str(path) for path in paths],
    }


def _words(said: dict[str, Any]) -> str:
    files = said["files"]
    shown = files[0] if len(files) == 1 else f"{len(files)} files, the first {files[0]}"
    lines = [f"{said['written']} of {said['entries']} entries as {said['format']}: {shown}"]
    lines += [f"left out: {count} ({why})" for why, count in said["left_out"].items()]
    lines += [
        f"written under another word: {count} {how}" for how, count in said["renamed"].items()
    ]
    return "\n".join([*lines, *(f"note: {text}" for text in said["dropped"])])
