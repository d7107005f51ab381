"""template-search over the native tasks it covers: searched, confirmed, compared.

    python benchmarks/template_search.py --device cpu|cuda --out FILE.jsonl
        [--tasks ID ...] [--family elementwise ...] [--trials 6] [--minutes 8] [--large]
        [--level full] [--trial-level smoke] [--no-timing] [--track kernel]
        [--generator template-search|inductor-triton|inductor-cpp|eager]

For each task a small search with the judge at `--trial-level`, against eager; then its winner is
judged at `--level` on a fresh secret against eager, torch.compile and torch.compile at its most
tuned. With `--large` a memory-bound winner is judged once more with its batch made so large that
its bytes are several times the cache, and the share of the measured copy bandwidth is printed.

Resumable: a task that is recorded is not searched again. A line is written after each task;
`--minutes` ends the work between two tasks. Prints geometric means with intervals and
denominators, counts of faster / no difference / slower, and the share of the bound.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from assay import Judge
from assay.data.axis import Axis
from assay.data.generation.attempt import Attempt
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.data.workload import Direction
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
)
from assay.generators.one_candidate_generator import (
    EagerGenerator,
    InductorCppGenerator,
    InductorTritonGenerator,
)
from assay.generators.templates.template_generator import TemplateGenerator
from assay.scores.estimates import geometric_mean
from assay.tasks.catalog import tasks_of

BASELINES = ("eager", "compile", "compile-max")
LARGE_BYTES = 512 << 20
GENERATORS = {
    one.name: one
    for one in (TemplateGenerator, EagerGenerator, InductorCppGenerator, InductorTritonGenerator)
}
CEILINGS = Path(__file__).parent / "results" / "ceilings_h200.json"
_AHEAD = 6

Row = dict[str, Any]


def main() -> int:
    """Search what is missing, then say what all records show."""
    flags = parsed_flags()
    rows = read(flags.out)
    done = {row["task"] for row in rows}
    ends = time.monotonic() + flags.minutes * 60
    generator = GENERATORS[flags.generator]()
    waiting = [one for one in chosen_tasks(flags) if one.id not in done]
    with ThreadPoolExecutor(_AHEAD) as pool, _judge(flags) as judge:
        for task, planned in _planned_ahead(pool, generator, waiting, flags.device):
            if time.monotonic() > ends:
                break
            row = searched(task, planned, generator, judge, flags)
            rows.append(row)
            flags.out.parent.mkdir(parents=True, exist_ok=True)
            with flags.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(line(row), flush=True)
        pool.shutdown(cancel_futures=True)
    print(summary(rows, len(waiting) + len(done)))
    return 0


def parsed_flags() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tasks", nargs="*", default=[])
    parser.add_argument("--family", nargs="*", default=[])
    parser.add_argument("--trials", type=int, default=6)
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--level", default="full")
    parser.add_argument("--trial-level", default="smoke")
    parser.add_argument("--no-timing", action="store_true")
    parser.add_argument("--track", default="kernel")
    parser.add_argument("--generator", choices=sorted(GENERATORS), default=TemplateGenerator.name)
    parser.add_argument("--large", action="store_true")
    return parser.parse_args()


def chosen_tasks(flags: argparse.Namespace) -> list[Task]:
    """Forward tasks, the first of every group before the second of any."""
    tasks = [one for one in tasks_of("native") if one.direction is Direction.FORWARD]
    if flags.tasks:
        named = {one.id: one for one in tasks}
        return [named[name] for name in flags.tasks]
    groups: dict[str, list[Task]] = {}
    for one in tasks:
        group = next((t for t in one.tags if t.startswith("kerneleval:")), "")
        groups.setdefault(group.removeprefix("kerneleval:"), []).append(one)
    if flags.family:
        groups = {name: found for name, found in groups.items() if name in flags.family}
    longest = max(map(len, groups.values()), default=0)
    return [g[place] for place in range(longest) for g in groups.values() if place < len(g)]


def _judge(flags: argparse.Namespace) -> Judge:
    return Judge(device=flags.device, jobs=1, track=flags.track)


def _planned_ahead(
    pool: ThreadPoolExecutor, generator: CandidateGenerator, tasks: Sequence[Task], device: str
) -> Iterator[tuple[Task, Any]]:
    """Tasks whose tracing was begun before they are needed."""
    started: list[tuple[Task, Future[Any]]] = []
    left = list(tasks)
    while left or started:
        while left and len(started) < _AHEAD:
            task = left.pop(0)
            started.append((task, pool.submit(_first, generator, task, device)))
        task, future = started.pop(0)
        yield task, future.result()


def _first(generator: CandidateGenerator, task: Task, device: str) -> Any:
    try:
        return generator.propose(GenerationRequest(task, device), lambda _: None)
    except Exception as problem:  # a defect of a template is a row, not the end of the run
        return f"{type(problem).__name__}: {problem}"


def searched(
    task: Task, first: Any, generator: CandidateGenerator, judge: Judge, flags: argparse.Namespace
) -> Row:
    """The row of one task: trials, winner, and the winner's verdict."""
    start = time.monotonic()
    row: Row = {"task": task.id, "device": flags.device, "tags": list(task.tags), "trials": []}
    if not isinstance(first, Proposal):
        return {**row, "covered": False, "reason": getattr(first, "reason", first)}
    attempts: list[Attempt] = []
    texts: list[Proposal] = []
    proposal: Any = first
    while isinstance(proposal, Proposal) and len(attempts) < flags.trials:
        verdict = judge.evaluate(
            task, proposal.candidate, level=flags.trial_level, timing=not flags.no_timing
        )
        attempts.append(_attempt(len(attempts), task, proposal, verdict))
        texts.append(proposal)
        row["trials"].append(_trial(attempts[-1]))
        if flags.no_timing:
            break
        request = GenerationRequest(task, flags.device, history=tuple(attempts))
        proposal = generator.propose(request, lambda _: None)
    row |= {"covered": True, "choices": dict(first.choices)}
    good = [n for n, one in enumerate(attempts) if one.accepted]
    if not good:
        return {**row, "status": attempts[0].status, "reason": attempts[0].reason}
    best = max(good, key=lambda n: attempts[n].speedup or 0.0)
    row |= {"choices": attempts[best].choices, "source": attempts[best].source}
    row |= _confirmed(task, texts[best], judge, flags)
    return {**row, "seconds": round(time.monotonic() - start, 1)}


def _attempt(number: int, task: Task, proposal: Proposal, verdict: Verdict) -> Attempt:
    timing = verdict.timing[0] if verdict.timing else None
    return Attempt(
        number=number,
        task=task.id,
        candidate=proposal.candidate.id,
        source=proposal.candidate.main.text,
        choices=dict(proposal.choices),
        status=verdict.status.value,
        reason=verdict.reason,
        speedup=timing.speedup if timing else None,
        speedup_low=timing.speedup_low if timing else None,
        speedup_high=timing.speedup_high if timing else None,
        latency_us=timing.candidate_us if timing else None,
        sol_us=verdict.limits.sol_us if verdict.limits else None,
    )


def _trial(one: Attempt) -> Row:
    return {
        "choices": dict(one.choices),
        "status": one.status,
        "reason": "" if one.accepted else one.reason,
        "speedup": one.speedup,
        "candidate_us": one.latency_us,
    }


def _confirmed(task: Task, winner: Proposal, judge: Judge, flags: argparse.Namespace) -> Row:
    """The winner judged anew: another secret, all baselines."""
    verdict = judge.evaluate(
        task,
        winner.candidate,
        level=flags.level,
        timing=not flags.no_timing,
        baselines=BASELINES,
    )
    found = _verdict_fields(verdict)
    if flags.large and verdict.status.value == "accepted":
        found["large"] = _large(task, winner, verdict, judge)
    return found


def _verdict_fields(verdict: Verdict) -> Row:
    limits = verdict.limits
    return {
        "status": verdict.status.value,
        "reason": verdict.reason,
        "level": verdict.level.value,
        "timing": [one.model_dump(mode="json") for one in verdict.timing or ()],
        "timing_reason": verdict.timing_reason,
        "bound": limits.bound if limits else None,
        "bytes": limits.bytes if limits else None,
        "sol_fraction": limits.sol_fraction if limits else None,
        "coverage": verdict.coverage.share if verdict.coverage else None,
    }


def _large(task: Task, winner: Proposal, verdict: Verdict, judge: Judge) -> Row:
    """The winner at a shape whose bytes are several times the cache."""
    if verdict.limits is None or verdict.limits.bound != "memory":
        return {"reason": "memory does not bind this task"}
    try:
        larger = large_task(task, verdict.limits.bytes)
    except ValueError as problem:
        return {"reason": str(problem)}
    found = judge.evaluate(larger, winner.candidate, level="smoke", timing=True)
    row = _verdict_fields(found)
    if found.timing and found.limits:
        row["bytes_per_s"] = found.limits.bytes / found.timing[0].candidate_us * 1e6
        copied = copy_bandwidth()
        row["of_copy"] = row["bytes_per_s"] / copied if copied else None
    return row


def large_task(task: Task, moved: int) -> Task:
    """The same task with its batch axis so long that about LARGE_BYTES are moved."""
    batch = next((one for one in task.axes if one.role.value == "batch"), None)
    if batch is None:
        raise ValueError("the task has no batch axis that could grow")
    tree = ast.parse(task.source)
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int(own))):
                if name == batch.name:
                    size = own * max(1, round(LARGE_BYTES / max(moved, 1)))
                    node.value = ast.Constant(size)
                    axes = tuple(_grown(one, batch.name, size) for one in task.axes)
                    text = ast.unparse(tree)
                    return task.model_copy(
                        update={"id": f"{task.id}_large", "source": text, "axes": axes}
                    )
    raise ValueError(f"the task's file does not set {batch.name}")


def _grown(axis: Axis, name: str, size: int) -> Axis:
    if axis.name != name:
        return axis
    return axis.model_copy(update={"own": size, "high": max(size, axis.high)})


def copy_bandwidth() -> float | None:
    """Bytes a second that a large copy was measured at on the H200, both ways counted."""
    if not CEILINGS.exists():
        return None
    for one in json.loads(CEILINGS.read_text(encoding="utf-8"))["subjects"]:
        if one["name"] == "copy":
            return float(one["work_per_call"] / statistics.median(one["ours_us"]) * 1e6)
    return None


def read(path: Path) -> list[Row]:
    """The rows of earlier runs."""
    if not path.exists():
        return []
    return [json.loads(one) for one in path.read_text(encoding="utf-8").splitlines()]


def line(row: Row) -> str:
    """One task on one line."""
    if not row["covered"]:
        return f"{row['task']:40} not covered: {row['reason']}"
    times = " ".join(
        f"{one['baseline']} {one['speedup']:.2f}"
        f" [{one['speedup_low']:.2f} {one['speedup_high']:.2f}]"
        for one in row.get("timing", ())
    )
    share = row.get("sol_fraction")
    large = row.get("large", {}).get("of_copy")
    return (
        f"{row['task']:40} {row['status']:10} {len(row['trials'])} trials  {times}"
        + (f"  {share:.0%} of the bound" if share else "")
        + (f"  large: {large:.0%} of copy" if large else "")
        + ("" if row["status"] == "accepted" else f"  {row['reason'][:160]}")
    )


def summary(rows: Sequence[Row], total: int) -> str:
    """Means, counts and denominators."""
    covered = [row for row in rows if row["covered"]]
    accepted = [row for row in covered if row.get("status") == "accepted"]
    lines = [
        f"{len(rows)} of {total} tasks looked at: {len(covered)} covered, "
        f"{len(accepted)} of {len(covered)} winners accepted"
    ]
    for name in BASELINES:
        found = [t for row in accepted for t in row.get("timing", ()) if t["baseline"] == name]
        if not found:
            lines.append(f"against {name}: nothing timed")
            continue
        mean = geometric_mean([one["speedup"] for one in found])
        faster = sum(one["speedup_low"] > 1 for one in found)
        slower = sum(one["speedup_high"] < 1 for one in found)
        lines.append(
            f"against {name}: geometric mean {mean.value:.3f} [{mean.low} {mean.high}] over "
            f"{len(found)} of {len(accepted)} accepted; {faster} faster, "
            f"{len(found) - faster - slower} no difference, {slower} slower"
        )
    shares = [row["sol_fraction"] for row in accepted if row.get("sol_fraction")]
    if shares:
        mean = geometric_mean(shares)
        lines.append(f"share of the bound: {mean.value:.3f} over {len(shares)}")
    large = [row["large"] for row in accepted if row.get("large", {}).get("of_copy")]
    if large:
        reached = sum(one["of_copy"] >= 0.8 for one in large)
        lines.append(f"large shapes: {reached} of {len(large)} reach 80 % of the copy bandwidth")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
