"""AssayWrapper: the `assay` of an agent: it makes the real call, and logs what came of it.

    DESK/bin/assay eval task.py kernel.py ...   ->   the real command, then a line in DESK/log.jsonl

An `eval` is made with `--out` into a folder of the desk, from which the verdict is read: what the
agent sees is what the real command prints.

The rule: the log says what was judged; it decides nothing. The agent could write into it, and the
candidate is judged again by the caller.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LOG = "log.jsonl"
_SCRIPT = """#!/bin/sh
exec {python} -m assay.generators.agent.assay_wrapper {desk} "$@"
"""
_MOST_TEXT = 2000


def install(desk: Path, python: str) -> None:
    """Put the script where the agent's path begins."""
    import shlex

    script = desk / "bin" / "assay"
    words = {"python": shlex.quote(python), "desk": shlex.quote(str(desk))}
    script.write_text(_SCRIPT.format(**words), encoding="utf-8")
    script.chmod(0o700)


def main(arguments: list[str]) -> int:
    """Make the call, log it, and end as it ended."""
    desk, given = Path(arguments[0]), arguments[1:]
    command = [sys.executable, "-m", "assay.app.main", *given]
    if given[:1] != ["eval"] or "--out" in given or {"--help", "-h"} & set(given):
        code = subprocess.run(command, check=False).returncode
        _log(desk, {"arguments": given, "exit": code, "judged": []})
        return code
    with tempfile.TemporaryDirectory(dir=desk, prefix="out-") as out:
        code = subprocess.run([*command, "--out", out], check=False).returncode
        _log(desk, {"arguments": given, "exit": code, "judged": _judged(Path(out))})
    return code


def _judged(out: Path) -> list[dict[str, Any]]:
    """Candidate and verdict of every record, in the order of their names."""
    found = []
    for path in sorted(out.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        verdict, timing = record["verdict"], record["verdict"].get("timing") or []
        found.append(
            {
                "candidate": record["candidate"],
                "candidate_id": verdict["candidate_id"],
                "status": verdict["status"],
                "reason": verdict["reason"][:_MOST_TEXT],
                "speedup": timing[0]["speedup"] if timing else None,
                "speedup_low": timing[0]["speedup_low"] if timing else None,
            }
        )
    return found


def _log(desk: Path, entry: dict[str, Any]) -> None:
    with (desk / LOG).open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(json.dumps(entry) + "\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
