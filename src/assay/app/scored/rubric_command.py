"""`assay rubric`: levels of single kernels, and profiles of the generators of some runs.

A target is a run, a record that `assay eval --out` or `--json` wrote, or a candidate. Runs and
records are read; with `--arch` the kernels whose binaries no record holds are compiled.
"""

from __future__ import annotations

import contextlib
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assay.app.candidates import load_candidates
from assay.app.inspect_command import compiler
from assay.app.scored.graded_runs import suite_tasks
from assay.app.scored.score_flags import RubricFlags
from assay.app.stored.stored_run import stored_run
from assay.data.candidate import Candidate
from assay.data.observations.compilation import CompileReport
from assay.data.run import Entry, Judgement
from assay.data.scoring.rubric import KernelFacts, KernelRubric, RubricProfile
from assay.data.verdict import Status, Verdict
from assay.errors import UsageError
from assay.judgement import kernel_facts
from assay.report.console import result_console
from assay.report.scored.rubric_text import kernel_rubric_text, rubric_profile_text
from assay.scores.graded import graded, graded_task
from assay.scores.rubric.complexity_level import complexity_level
from assay.scores.rubric.kernel_placement import placed_unjudged
from assay.scores.rubric.rubric_profile import rubric_profile
from assay.scores.rubric.stored_placements import StoredKernel, facts_kept, stored_placements

_SOURCES = (".py", ".cu", ".cpp", ".cc", ".cxx")
_FOR_VERDICTS = "{path} holds a verdict without the candidate's source; --out writes whole records"
Compile = Callable[[Candidate], tuple[CompileReport, ...]]


def run(flags: RubricFlags) -> int:
    """Kernels first, then one profile for each generator and device."""
    files = [one for one in flags.targets if Path(one).is_file()]
    runs = [one for one in flags.targets if one not in files]
    with compiler(flags.arch or []) as compiled:
        found = _Rubrics(compiled, compiles=bool(flags.arch))
        single = [kernel for path in files for kernel in found.of_file(path)]
        profiles, kernels = found.of_runs(runs) if runs else ((), ())
    shown = [*single, *(kernels if flags.kernels else ())]
    if flags.json:
        for record in (*shown, *profiles):
            sys.stdout.write(record.model_dump_json() + "\n")
        return 0
    for kernel in shown:
        result_console().print(kernel_rubric_text(kernel))
    for profile in profiles:
        result_console().print(rubric_profile_text(profile))
    return 0


class _Rubrics:
    """Reads targets; each candidate is compiled once."""

    def __init__(self, compiled: Compile, compiles: bool) -> None:
        self._compiled = compiled
        self._compiles = compiles
        self._facts: dict[tuple[str, bool], KernelFacts] = {}

    def of_file(self, path: str) -> Iterator[KernelRubric]:
        """A record, or a candidate that was not judged."""
        if Path(path).suffix in _SOURCES:
            for candidate in load_candidates([path]):
                rubric = placed_unjudged(candidate.provenance, self._read(candidate))
                yield KernelRubric(
                    candidate=candidate.name, candidate_id=candidate.id, rubric=rubric
                )
            return
        judgement = _record(Path(path))
        entry = Entry(number=0, task=judgement.task, candidate=judgement.candidate)
        yield from stored_placements([self._stored(entry, judgement.verdict, "")])

    def of_runs(
        self, names: Sequence[str]
    ) -> tuple[tuple[RubricProfile, ...], tuple[KernelRubric, ...]]:
        """All runs together: the best known of a task may be in any of them."""
        ids: list[str] = []
        tasks: dict[str, int | None] = {}
        kernels: list[StoredKernel] = []
        for name in dict.fromkeys(names):
            store, run = stored_run(name)
            with store:
                ids.append(run.id)
                for task in suite_tasks(run.suite):
                    tasks[task.name] = complexity_level(task.tags, task.source).level
                for entry, verdict in store.verdicts(run):
                    task = graded_task(entry.task)
                    tasks[task.name] = complexity_level(task.tags, task.source).level
                    generator = graded(run.id, entry, verdict).generator or run.id
                    kernels.append(self._stored(entry, verdict, generator))
        if not kernels:
            raise UsageError("the runs hold no candidate")
        placements = stored_placements(kernels)
        grouped: dict[tuple[str, str], list[KernelRubric]] = defaultdict(list)
        for one in placements:
            grouped[one.generator, one.device].append(one)
        profiles = (rubric_profile(who, members, tasks) for who, members in sorted(grouped.items()))
        told = tuple(one.model_copy(update={"runs": tuple(ids)}) for one in profiles)
        return told, tuple(placements)

    def _stored(self, entry: Entry, verdict: Verdict | None, generator: str) -> StoredKernel:
        """Facts that the record holds; others are read anew, and compiled where that is asked."""
        kept = facts_kept(verdict)
        wanted = verdict is not None and verdict.status is Status.ACCEPTED
        lacking = kept is not None and kept.own_kernels and not kept.compiled_for
        if kept is None or (self._compiles and wanted and lacking):
            kept = self._read(entry.candidate, wanted)
        return StoredKernel(entry, verdict, kept, generator)

    def _read(self, candidate: Candidate, compiled: bool = True) -> KernelFacts:
        key = candidate.id, compiled
        if key not in self._facts:
            reports = self._compiled(candidate) if compiled else ()
            self._facts[key] = kernel_facts(candidate, reports)
        return self._facts[key]


def _record(path: Path) -> Judgement:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {path}: not a text file") from error
    with contextlib.suppress(ValueError):
        return Judgement.model_validate_json(text)
    with contextlib.suppress(ValueError):
        Verdict.model_validate_json(text)
        raise UsageError(_FOR_VERDICTS.format(path=path))
    raise UsageError(f"{path} is neither a candidate nor a record that `assay eval --out` wrote")
