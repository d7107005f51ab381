"""One call on a machine with a GPU: its tests, the time of cold and warm verdicts, and the rate.

    python benchmarks/device_check.py [--device cuda] [--out out/device_check.json]
        [--parts tests cold warm rate] [--limit rate=400 ...]

    tests   tests/gpu, with the names of those that failed
    cold    one `assay eval` at `standard`, interpreter start included
    warm    the same kernel four times at `standard` behind one wall: the first, then the others
    rate    64 Triton candidates that were never compiled before, eight at a time

Each part is a process of its own with a limit of its own, and is ended with all its processes once
that is over. The result is written after every part, with what a part had said when it was ended:
who is cut off loses nothing. Exit code: 0 where every part ended by itself and nothing failed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
_GRACE_S = 10.0  # to end its processes when it is told to
_TAIL = 1500  # characters of what a part said
_VERDICT = re.compile(r"^\[(\d+)/(\d+)\] +([\d.]+) s .*: (\w+)$", re.MULTILINE)
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Said:
    """What a part left when it ended, or was ended."""

    out: str
    errors: str
    record: Path  # a file that it may have written


@dataclass(frozen=True)
class Part:
    """One thing that is tried."""

    name: str
    limit_s: float
    command: Callable[[str, Path], Sequence[str]]  # of the device and the record
    read: Callable[[Said], dict[str, Any]]


def _tests(device: str, record: Path) -> list[str]:
    folder = str(HERE.parent / "tests" / "gpu")
    return [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", folder]


def _cold(device: str, record: Path) -> list[str]:
    return [sys.executable, str(HERE / "throughput.py"), "--cold", "--device", device]


def _warm(device: str, record: Path) -> list[str]:
    line = [sys.executable, str(HERE / "device_latency.py"), "--device", device]
    return [*line, "--tasks", "softmax", "--most", "1", "--again", "3", "--record", str(record)]


def _rate(device: str, record: Path) -> list[str]:
    line = [sys.executable, str(HERE / "throughput.py"), "--device", device]
    return [*line, "--triton", "64", "--jobs", "8", "--protocol-count", "0"]


def read_tests(said: Said) -> dict[str, Any]:
    """The last line of pytest, and who failed."""
    lines = said.out.strip().splitlines()
    return {"summary": lines[-1] if lines else "", "failed": _FAILED.findall(said.out)}


def read_json(said: Said) -> dict[str, Any]:
    """The object that it printed; none where it did not come to that."""
    with contextlib.suppress(ValueError):
        found = json.loads(said.out)
        return found if isinstance(found, dict) else {"printed": found}
    return {}


def read_lines(said: Said) -> dict[str, Any]:
    """The rows of the record, of which the last may be cut."""
    rows = []
    with contextlib.suppress(OSError, ValueError):
        for line in said.record.read_text().splitlines():
            rows.append(json.loads(line))
    return {"rows": rows}


def read_rate(said: Said) -> dict[str, Any]:
    """What it printed at its end, and the rate by the verdicts that came."""
    came = _VERDICT.findall(said.errors)
    found: dict[str, Any] = {"verdicts": len(came), **read_json(said)}
    if came:
        number, asked, at_s, _ = came[-1]
        found |= {"asked": int(asked), "last_verdict_s": float(at_s)}
        found["verdicts_per_minute"] = round(60 * int(number) / max(0.1, float(at_s)), 2)
    return found


PARTS = (
    Part("tests", 240.0, _tests, read_tests),
    Part("cold", 90.0, _cold, read_json),
    Part("warm", 120.0, _warm, read_lines),
    Part("rate", 240.0, _rate, read_rate),
)


def tried(part: Part, device: str, limit_s: float) -> dict[str, Any]:
    """One part: how it ended, how long it took, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        out, errors, record = (Path(folder) / name for name in ("out", "errors", "record"))
        began = time.monotonic()
        with out.open("w") as stdout, errors.open("w") as stderr:
            process = subprocess.Popen(
                part.command(device, record),
                stdout=stdout,
                stderr=stderr,
                cwd=HERE.parent,
                start_new_session=True,
            )
            ended = _ended(process, limit_s)
        said = Said(out.read_text(), errors.read_text(errors="replace"), record)
        result = {
            "ended": ended,
            "exit_code": process.returncode,
            "seconds": round(time.monotonic() - began, 1),
            **part.read(said),
        }
        if process.returncode or not ended:
            result["tail"] = (said.out + said.errors)[-_TAIL:]
        return result


def _ended(process: subprocess.Popen[bytes], limit_s: float) -> bool:
    """Whether it ended by itself; else its whole group is ended."""
    for seconds, number in ((limit_s, signal.SIGTERM), (_GRACE_S, signal.SIGKILL)):
        try:
            process.wait(seconds)
            return number is signal.SIGTERM
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
    process.wait()
    return False


def check(
    parts: Sequence[Part], device: str, limits: dict[str, float], out: Path
) -> dict[str, dict[str, Any]]:
    """Every part in its order; the file is whole after each of them."""
    out.parent.mkdir(parents=True, exist_ok=True)
    found: dict[str, dict[str, Any]] = {}
    for part in parts:
        found[part.name] = tried(part, device, limits.get(part.name, part.limit_s))
        text = json.dumps(found, indent=1)
        beside = out.with_suffix(".part")
        beside.write_text(text + "\n")
        beside.replace(out)
        print(json.dumps({part.name: found[part.name]}), flush=True)
    return found


def _limit(text: str) -> tuple[str, float]:
    name, _, seconds = text.partition("=")
    if name not in {part.name for part in PARTS}:
        raise argparse.ArgumentTypeError(f"no part is called {name!r}")
    return name, float(seconds)


def main() -> int:
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--out", type=Path, default=Path("out/device_check.json"))
    parser.add_argument("--parts", nargs="+", choices=names, default=names)
    parser.add_argument("--limit", type=_limit, action="append", default=[], metavar="PART=SECONDS")
    flags = parser.parse_args()
    chosen = [part for part in PARTS if part.name in flags.parts]
    found = check(chosen, flags.device, dict(flags.limit), flags.out)
    return 0 if all(one["ended"] and one["exit_code"] == 0 for one in found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
