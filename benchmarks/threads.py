"""Evaluations from threads of one process: every verdict as labelled, the process as it was.

    python benchmarks/threads.py [--count 200] [--threads 8] [--folder examples] [--only TASK ...]
                                 [--record benchmarks/results/threads.json]

Examples (`TASK/LABEL__NAME.py`: honest, wrong, cheat) are judged in turn at `quick` without timing,
each by a call of `evaluate` of its own. Before the first and after the last the process is looked
at: default dtype, standard streams, how its allocator serves large blocks, signal handlers,
threads, environment, descriptors, children and resident memory. Exit code 1 where a verdict is not
as labelled or the process is not as it was.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import signal
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import torch  # as in the process of somebody who trains: it must stay as it is

from assay import AssayError, evaluate
from assay.app.demo import Example, find_examples

MOST_GROWTH = 0.10  # of resident memory
BLOCK = 64 << 20  # glibc maps a block of this size by itself unless it was told otherwise


class _MallocInfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost"
        .split()
    ]  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """One evaluation."""

    example: str
    expected: str
    status: str
    seconds: float


@dataclass(frozen=True)
class ProcessState:
    """What a caller would notice."""

    default_dtype: str
    streams: str
    large_block_is_mapped: bool
    handlers: str
    threads: int
    environment: str
    folder: str
    descriptors: int
    children: str
    torch_threads: int
    random_state: int


def process_state() -> ProcessState:
    pid = os.getpid()
    children = Path(f"/proc/{pid}/task").glob("*/children")
    return ProcessState(
        default_dtype=str(torch.get_default_dtype()),
        streams=repr([(id(s), os.fstat(s.fileno()).st_ino) for s in (sys.stdout, sys.stderr)]),
        large_block_is_mapped=_large_block_is_mapped(),
        handlers=repr([signal.getsignal(number) for number in sorted(signal.valid_signals())]),
        threads=threading.active_count(),
        environment=repr(sorted(os.environ.items())),
        folder=os.getcwd(),
        descriptors=len(os.listdir("/proc/self/fd")),
        children=" ".join(path.read_text() for path in children).strip(),
        torch_threads=torch.get_num_threads(),
        random_state=hash(bytes(torch.get_rng_state().tolist())),
    )


def _large_block_is_mapped() -> bool:
    libc = ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    libc.free.argtypes = [ctypes.c_void_p]
    libc.mallinfo2.restype = _MallocInfo
    before = libc.mallinfo2().hblkhd
    block = libc.malloc(BLOCK)
    mapped = bool(libc.mallinfo2().hblkhd - before >= BLOCK)
    libc.free(block)
    return mapped


def resident_mb() -> float:
    (line,) = [t for t in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in t]
    return int(line.split()[1]) / 1024


def judged(example: Example) -> Judged:
    began_s = time.monotonic()
    try:
        verdict = evaluate(example.task, example.path, level="quick", timing=False)
        status, reason = verdict.status.value, verdict.reason
    except AssayError as error:
        status, reason = type(error).__name__, str(error)
    seconds = round(time.monotonic() - began_s, 1)
    found = Judged(str(example.path), example.expected.value, status, seconds)
    said = "as labelled" if found.status == found.expected else f"NOT AS LABELLED ({reason})"
    print(f"{found.example}: {found.status}, {said}, {seconds} s", flush=True)
    return found


def main() -> int:
    flags = _flags()
    chosen = [e for e in find_examples(flags.folder) if not flags.only or e.task in flags.only]
    work = [chosen[number % len(chosen)] for number in range(flags.count)]
    before, before_mb, began_s = process_state(), resident_mb(), time.monotonic()
    with ThreadPoolExecutor(flags.threads) as pool:
        found = list(pool.map(judged, work))
    elapsed_s = time.monotonic() - began_s
    after, after_mb = process_state(), resident_mb()
    changed = [name for name, value in asdict(before).items() if asdict(after)[name] != value]
    wrong = [one for one in found if one.status != one.expected]
    growth = after_mb / before_mb - 1
    _print_table(found)
    print(f"{len(found)} evaluations from {flags.threads} threads in {elapsed_s:.0f} s, "
          f"{len(wrong)} not as labelled; changed: {', '.join(changed) or 'nothing'}; "
          f"resident memory {before_mb:.0f} -> {after_mb:.0f} MB ({growth:+.1%})")  # fmt: skip
    record = {
        "evaluations": len(found),
        "threads": flags.threads,
        "cores": len(os.sched_getaffinity(0)),
        "elapsed_s": round(elapsed_s, 1),
        "not_as_labelled": [asdict(one) for one in wrong],
        "changed": changed,
        "state": {k: v for k, v in asdict(after).items() if k not in ("environment", "folder")},
        "resident_mb": [round(before_mb, 1), round(after_mb, 1)],
        "seconds": sorted(one.seconds for one in found),
    }
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    flags.record.write_text(json.dumps(record, indent=1) + "\n")
    return 1 if wrong or changed or growth > MOST_GROWTH else 0


def _print_table(found: list[Judged]) -> None:
    rows = Counter((one.example, one.expected, one.status) for one in found)
    for (example, expected, status), count in sorted(rows.items()):
        print(f"{count:4}  {expected:10} {status:12} {example}")


def _flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--folder", type=Path, default=Path("examples"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--record", type=Path, default=Path("benchmarks/results/threads.json"))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
