"""Candidates that public repositories ship with a label, judged and compared with it.

    python benchmarks/labelled_candidates.py --device cuda --place SOL-ExecBench KernelBenchX ...
        --out out/labelled.jsonl [--jobs 8] [--level quick] [--stop-after-s 540] [--list]
        [--set sol_execbench] [--label correct] [--language triton]
    python benchmarks/labelled_candidates.py --place KernelBenchX --claims claims.jsonl

A place is a checkout whose folder has the repository's name. The sets come in turn, a task of each
after the other, so that a part of the list holds some of every set and small sets end early.
`--jobs` judge processes share the device; what is judged otherwise than labelled beside others is
judged once more alone. Resumable: what `--out` holds is not judged again. Agreement is: `accepted`
where the label says right, any other judgement where it says wrong. `--claims` writes the published
figures of KernelBench-X's corpus for `assay recheck` and judges nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from itertools import chain, zip_longest
from pathlib import Path

from labelled_judging import Asked, side_by_side
from labelled_record import LabelledRecord, LabelledRow, summary
from labelled_sets import SETS, Found, Labelled, NotListed, corpus_codes

from assay.data.settings import Level, Settings, Track
from assay.devices.device_registry import backend

BOARD = "NVIDIA GeForce RTX 5090"  # the corpus was measured on


def main() -> int:
    flags = parsed_flags()
    if flags.claims is not None:
        return write_claims(flags.place, flags.claims)
    ends = time.monotonic() + flags.stop_after_s
    found = chosen(flags)
    if flags.list:
        return listed(found)
    missing = backend(flags.device).available()
    if missing is not None:
        print(f"device '{flags.device}' cannot be used here: {missing}", file=sys.stderr)
        return 2
    asked, record = Asked(settings(flags), ends), LabelledRecord(flags.out)
    candidates = [one for one in found if isinstance(one, Labelled)]
    open_ = in_turns(one for one in candidates if record.is_open(one))
    for row in side_by_side(open_, asked, flags.jobs) if open_ else ():
        keep(row, record)
    doubtful = in_turns(one for one in candidates if record.is_doubtful(one))
    for row in side_by_side(doubtful, asked, 1) if doubtful else ():
        keep(row, record)
    return told(candidates, record, len(found) - len(candidates))


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--place", type=Path, nargs="+", required=True, help="checkouts")
    parser.add_argument("--set", nargs="*", default=(), help="only these sets, by name")
    parser.add_argument("--label", choices=("correct", "wrong"), help="only these")
    parser.add_argument("--language", nargs="*", default=(), help="only candidates in these")
    parser.add_argument("--out", type=Path, default=Path("out/labelled.jsonl"))
    parser.add_argument("--level", default="quick", choices=[level.value for level in Level])
    parser.add_argument("--jobs", type=int, default=8, help="judge processes on the device")
    parser.add_argument("--timeout-s", type=float, default=60.0)
    parser.add_argument("--build-timeout-s", type=float, default=240.0)
    parser.add_argument("--allow-package", action="append", default=[])
    parser.add_argument("--stop-after-s", type=float, default=1e9, help="begin none later")
    parser.add_argument("--list", action="store_true", help="say what there is, judge nothing")
    parser.add_argument("--claims", type=Path, help="write published figures there, judge nothing")
    return parser.parse_args()


def settings(flags: argparse.Namespace) -> Settings:
    return Settings(
        device=flags.device,
        level=Level(flags.level),
        track=Track.OPEN,
        timing=False,
        timeout_s=flags.timeout_s,
        build_timeout_s=flags.build_timeout_s,
        allow_packages=tuple(flags.allow_package),
    )


def chosen(flags: argparse.Namespace) -> list[Found]:
    """What the places hold of these sets, labels and languages."""
    found = [one for place in ordered(flags.place) for one in SETS[place.name](place)]
    return [
        one
        for one in found
        if (not flags.set or one.set_name in flags.set)
        and (not isinstance(one, Labelled) or is_asked(one, flags))
    ]


def is_asked(one: Labelled, flags: argparse.Namespace) -> bool:
    """Of the labels and languages that are asked for."""
    return (not flags.label or one.said == flags.label) and (
        not flags.language or one.candidate.language in flags.language
    )


def ordered(places: list[Path]) -> list[Path]:
    """In the order of the sets; a folder of another name is an error that names the known ones."""
    unknown = [str(place) for place in places if place.name not in SETS]
    if unknown:
        sys.exit(f"no set is known of {', '.join(unknown)}; known: {', '.join(SETS)}")
    return sorted(places, key=lambda place: list(SETS).index(place.name))


def in_turns(found: Iterable[Labelled]) -> list[list[Labelled]]:
    """Candidates of one task together; a task of each set after the other."""
    sets: dict[str, dict[str, list[Labelled]]] = {}
    for one in found:
        groups = sets.setdefault(one.set_name, {})
        groups.setdefault(one.task.content_id, []).append(one)
    turns = zip_longest(*(groups.values() for groups in sets.values()))
    return [group for group in chain.from_iterable(turns) if group is not None]


def keep(row: LabelledRow, record: LabelledRecord) -> None:
    """Written down and told."""
    record.add(row)
    mark = "as labelled" if row.agrees else "DIFFERS    "
    how = ", alone" if row.alone else ""
    words = f"{row.set} {row.name} ({row.label}): {row.status}, {row.seconds:g} s{how}"
    print(f"{mark} {words}: {row.reason[:150]}", flush=True)


def listed(found: list[Found]) -> int:
    for one in found:
        if isinstance(one, NotListed):
            print(f"not read {one.set_name} {one.name}: {one.reason}")
    counts = Counter((o.set_name, o.said) for o in found if isinstance(o, Labelled))
    for (set_name, label), count in sorted(counts.items()):
        print(f"{set_name} {label} {count}")
    return 0


def told(found: list[Labelled], record: LabelledRecord, unread: int) -> int:
    names = {(one.set_name, one.name) for one in found}
    rows = [row for row in record.rows.values() if row.key in names]
    print("\n".join(summary(rows)))
    left = sum(record.is_open(one) for one in found)
    print(f"{len(found) - left} of {len(found)} judged, {unread} could not be read")
    if left:
        print(f"{left} are left: the same command goes on")
    return 0


def write_claims(places: list[Path], target: Path) -> int:
    """Published figures as `assay recheck` reads them, the highest bandwidth first."""
    rows = [
        {
            "task": Path(name).stem,
            "source": code,
            "correct": bool(record["call_ok"] and record["exe_ok"]),
            "speedup": record["speedup"],
            "time_ms": record["runtime_ms"],
            "GB/s": record["gbs"],
            "device": BOARD,
        }
        for place in places
        for name, code, record in corpus_codes(place)
        if record["gbs"]
    ]
    rows.sort(key=lambda row: -row["GB/s"])
    target.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{len(rows)} claims in {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
