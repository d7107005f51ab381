"""Fuzz the judge itself: generated modules, each judged against itself on the `open` track.

    python benchmarks/fuzz.py [--seed 0] [--count 300] [--jobs 2] [--record out/fuzz.jsonl]
    python benchmarks/fuzz.py --seed 0 --show 17      print the task of one module

The candidate is the reference under another name. `not_run` is a fault of the judge, and so is
every other status than `accepted`. Resumable: modules that the record holds are not judged again.
Prints each fault with its number, then the counts; the exit code is 1 where there is a fault.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

from fuzzing.generate import generated
from fuzzing.record import Finding, Record

_CHUNK = 6  # modules for which one process raises the wall once


def main() -> int:
    flags = parsed_flags()
    if flags.show is not None:
        print(generated(flags.seed, flags.show).task)
        return 0
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the jobs fill the cores
    record = Record(flags.record)
    numbers = range(flags.first, flags.first + flags.count)
    left = [number for number in numbers if not record.has(flags.seed, number)]
    for finding in judged(flags.seed, left, flags.jobs):
        record.add(finding)
        if finding.is_fault:
            print(f"{finding.number} {finding.status}: {finding.reason[:300]}", flush=True)
    table = record.table(flags.seed, numbers)
    print("\n".join(table.lines()))
    return 1 if table.faults else 0


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0, help="the number of the first module")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--record", type=Path, default=Path("out/fuzz.jsonl"))
    parser.add_argument("--show", type=int, help="print the task of this number, and stop")
    return parser.parse_args()


def judged(seed: int, numbers: list[int], jobs: int) -> Iterator[Finding]:
    """Every finding, as soon as its process has finished its chunk."""
    chunks = [numbers[at : at + _CHUNK] for at in range(0, len(numbers), _CHUNK)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        work = [pool.submit(judge_chunk, seed, chunk) for chunk in chunks]
        yield from findings(as_completed(work))


def findings(work: Iterable[Future[list[Finding]]]) -> Iterator[Finding]:
    for done in work:
        yield from done.result()


def judge_chunk(seed: int, numbers: list[int]) -> list[Finding]:
    """In a process of its own, behind one wall."""
    from fuzzing.judging import judge  # imports torch

    return judge(seed, [generated(seed, number) for number in numbers])


if __name__ == "__main__":
    sys.exit(main())
