"""Candidates that public repositories ship with a label, judged and compared with it.

    python benchmarks/labelled_candidates.py --device cuda --place SOL-ExecBench KernelBenchX ...
        --out out/labelled.jsonl [--jobs 8] [--level quick] [--stop-after-s 540] [--list]
    python benchmarks/labelled_candidates.py --place KernelBenchX --claims claims.jsonl

A place is a checkout whose folder has the repository's name. Small sets come first, and candidates
of one task are judged together. Resumable: what is recorded is not judged again. Agreement is:
`accepted` where the label says right, anything else where it says wrong. `--claims` writes the
published figures of KernelBench-X's corpus for `assay recheck` and judges nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from labelled_sets import SETS, Found, Labelled, NotListed, corpus_codes

from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Verdict
from assay.devices.device_registry import backend
from assay.pipeline import evaluate_many

BOARD = "NVIDIA GeForce RTX 5090"  # the corpus was measured on


def main() -> int:
    flags = parsed_flags()
    if flags.claims is not None:
        return write_claims(flags.place, flags.claims)
    found = [one for place in ordered(flags.place) for one in SETS[place.name](place)]
    if flags.list:
        return listed(found)
    missing = backend(flags.device).available()
    if missing is not None:
        print(f"device '{flags.device}' cannot be used here: {missing}", file=sys.stderr)
        return 2
    flags.out.parent.mkdir(parents=True, exist_ok=True)
    lines = flags.out.read_text().splitlines() if flags.out.exists() else []
    rows = {(row["set"], row["name"]): row for row in map(json.loads, lines)}
    open_ = [one for one in found if isinstance(one, Labelled) and key(one) not in rows]
    with flags.out.open("a", encoding="utf-8") as out:
        ends = time.monotonic() + flags.stop_after_s
        for group in by_task(open_):
            if time.monotonic() > ends:
                break
            for row in judged(group, flags):
                rows[row["set"], row["name"]] = row
                out.write(json.dumps(row) + "\n")
                out.flush()
    return summary(list(rows.values()), found)


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--place", type=Path, nargs="+", required=True, help="checkouts")
    parser.add_argument("--out", type=Path, default=Path("out/labelled.jsonl"))
    parser.add_argument("--level", default="quick", choices=[level.value for level in Level])
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--timeout-s", type=float, default=60.0)
    parser.add_argument("--stop-after-s", type=float, default=1e9, help="begin no task later")
    parser.add_argument("--list", action="store_true", help="say what there is, judge nothing")
    parser.add_argument("--claims", type=Path, help="write published figures there, judge nothing")
    return parser.parse_args()


def ordered(places: list[Path]) -> list[Path]:
    """In the order of the sets; a folder of another name is an error that names the known ones."""
    unknown = [str(place) for place in places if place.name not in SETS]
    if unknown:
        sys.exit(f"no set is known of {', '.join(unknown)}; known: {', '.join(SETS)}")
    return sorted(places, key=lambda place: list(SETS).index(place.name))


def key(one: Labelled) -> tuple[str, str]:
    return one.set_name, one.name


def by_task(found: list[Labelled]) -> list[list[Labelled]]:
    groups: dict[tuple[str, str], list[Labelled]] = defaultdict(list)
    for one in found:
        groups[one.set_name, one.task.content_id].append(one)
    return list(groups.values())


def judged(group: list[Labelled], flags: argparse.Namespace) -> list[dict[str, Any]]:
    settings = Settings(
        device=flags.device,
        level=Level(flags.level),
        track=Track.OPEN,
        timing=False,
        jobs=flags.jobs,
        timeout_s=flags.timeout_s,
    )
    began_s, rows = time.monotonic(), []
    try:
        verdicts: list[Verdict | None] = [
            j.verdict for j in evaluate_many(group[0].task, [o.candidate for o in group], settings)
        ]
        failure = ""
    except Exception as error:  # one task must not cost the others
        verdicts, failure = [None] * len(group), f"{type(error).__name__}: {error}"
    seconds = (time.monotonic() - began_s) / len(group)
    for one, verdict in zip(group, verdicts, strict=True):
        status = "not_run" if verdict is None else verdict.status.value
        rows.append(
            {
                "set": one.set_name,
                "name": one.name,
                "task": one.task.id,
                "label": one.said,
                "status": status,
                "agrees": (status == "accepted") == one.right,
                "reason": failure if verdict is None else verdict.reason,
                "own_workload": None if verdict is None else verdict.own_workload.value,
                "seconds": round(seconds, 1),
            }
        )
        print(line(rows[-1]), flush=True)
    return rows


def line(row: dict[str, Any]) -> str:
    mark = "as labelled" if row["agrees"] else "DIFFERS    "
    words = f"{row['set']} {row['name']} ({row['label']}): {row['status']}"
    return f"{mark} {words}: {row['reason'][:150]}"


def listed(found: list[Found]) -> int:
    for one in found:
        if isinstance(one, NotListed):
            print(f"not read {one.set_name} {one.name}: {one.reason}")
    counts = Counter((o.set_name, o.said) for o in found if isinstance(o, Labelled))
    for (set_name, label), count in sorted(counts.items()):
        print(f"{set_name} {label} {count}")
    return 0


def summary(rows: list[dict[str, Any]], found: list[Found]) -> int:
    for set_name in dict.fromkeys(row["set"] for row in rows):
        some = [row for row in rows if row["set"] == set_name]
        table = Counter((row["label"], row["status"]) for row in some)
        words = ", ".join(
            f"{label} -> {status} {n}" for (label, status), n in sorted(table.items())
        )
        agreed = sum(row["agrees"] for row in some)
        print(f"{set_name}: {agreed} of {len(some)} as labelled: {words}")
    unread = [one for one in found if isinstance(one, NotListed)]
    print(f"{len(rows)} judged, {len(unread)} could not be read")
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
