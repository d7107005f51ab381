"""`assay pairs`: corrected errors and shown gains of stored runs, written to train on.

The rule: the summary counts every step between candidates, so that it shows what made no pair and
why.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay.app.scored.score_flags import PairsFlags
from assay.app.stored.stored_run import stored_run
from assay.data.scoring.pairs import PairSummary, Split
from assay.errors import UsageError
from assay.report.console import result_console
from assay.report.scored.pairs_text import pairs_text
from assay.scores.analysis.gains import FALSE_GAINS, RATE
from assay.scores.graded import Graded, GradedTask, graded, graded_task
from assay.scores.grouped import Group, groups
from assay.scores.pairs.pair_builder import BuiltPairs, PairRules, Place, built_pairs, split_of
from assay.scores.pairs.pair_shapes import PairShape, shaped
from assay.scores.pairs.pair_sides import SideFacts, side_facts
from assay.scores.pairs.task_groups import task_groups
from assay.store.pair_export import checked, write_rows


def run(flags: PairsFlags) -> int:
    """One file, or two where some tasks are held out."""
    out = checked(flags.out)
    entries: list[Graded] = []
    tasks: dict[str, GradedTask] = {}
    facts: dict[Place, SideFacts] = {}
    for name in dict.fromkeys(flags.runs):
        _read(name, entries, tasks, facts)
    found = groups(tasks.values(), entries, flags.keep_degenerate)
    if not found:
        raise UsageError("the runs hold no candidate of a task that counts")
    counted = found[0]
    rules = PairRules(flags.claimed, flags.held_out, flags.seed)
    alike = task_groups(tuple(tasks.values()), entries)
    built = built_pairs(counted.others, facts, alike, rules)
    shape = PairShape(flags.shape)
    files = {out: Split.TRAIN}
    if flags.held_out > 0:
        files[held_out_path(out)] = Split.HELD_OUT
    rows = {
        path: [shaped(one, shape) for one in split_of(built.pairs, split)]
        for path, split in files.items()
    }
    for path, some in rows.items():
        write_rows(some, path)
    said = _summary(counted, built, shape, {str(path): len(some) for path, some in rows.items()})
    if flags.json:
        sys.stdout.write(said.model_dump_json() + "\n")
    else:
        result_console().print(pairs_text(said))
    return 0


def held_out_path(path: Path) -> Path:
    """`pairs.jsonl` -> `pairs.held_out.jsonl`."""
    return path.with_name(f"{path.stem}.held_out{path.suffix}")


def _read(
    name: str,
    entries: list[Graded],
    tasks: dict[str, GradedTask],
    facts: dict[Place, SideFacts],
) -> None:
    store, run = stored_run(name)
    with store:
        for entry, verdict in store.verdicts(run):
            one = graded(run.id, entry, verdict)
            entries.append(one)
            tasks.setdefault(entry.task.id, graded_task(entry.task))
            facts[run.id, entry.number] = side_facts(one, entry, verdict)


def _summary(
    counted: Group, built: BuiltPairs, shape: PairShape, files: dict[str, int]
) -> PairSummary:
    entries = counted.others
    held = [one for one in built.pairs if one.split is Split.HELD_OUT]
    return PairSummary(
        runs=tuple(dict.fromkeys(one.run for one in entries)),
        entries=len(entries),
        claimed_entries=sum(o.status is None and bool(o.provenance.claimed) for o in entries),
        steps=built.steps,
        outcomes={outcome.value: count for outcome, count in sorted(built.outcomes.items())},
        pairs=len(built.pairs),
        train=len(built.pairs) - len(held),
        held_out=len(held),
        tasks=len({one.task for one in built.pairs}),
        task_groups=len({one.task_group for one in built.pairs}),
        held_out_tasks=len({one.task for one in held}),
        left_out=dict(counted.left_out),
        interval_rate=RATE,
        false_gains=FALSE_GAINS,
        claimed_noise=built.noise,
        shape=shape.value,
        files=files,
    )
