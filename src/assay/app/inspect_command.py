"""`assay inspect`: read candidates without running them, and compile them where that is asked."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence

from assay.app.candidates import load_candidates
from assay.app.flags import InspectFlags
from assay.data.candidate import Candidate
from assay.data.inspection import Inspection, Mention
from assay.data.observations.compilation import CompileOutcome, CompileReport
from assay.data.settings import Settings, Track
from assay.judge.source_locations import evidence_of_user, of_user
from assay.judgement import kernel_facts
from assay.languages.architecture import architecture
from assay.report.console import result_console
from assay.report.inspection_text import inspection_page
from assay.scores.rubric.kernel_placement import placed_unjudged
from assay.source_analysis.analysis import analyse, findings

NOT_COMPILED = 1


def run(flags: InspectFlags) -> int:
    """Print one inspection a candidate."""
    track = Track(flags.track or Settings().track)
    candidates = load_candidates(flags.candidates)
    every_kernel = True
    with compiler(flags.arch or []) as compiled:
        for candidate in candidates:
            reports = compiled(candidate)
            inspection = inspect(candidate, track, reports)
            every_kernel &= all(one.outcome is CompileOutcome.COMPILED for one in reports)
            if flags.json:
                sys.stdout.write(inspection.model_dump_json() + "\n")
            else:
                result_console().print(inspection_page(inspection))
            sys.stdout.flush()
    return 0 if every_kernel else NOT_COMPILED


@contextlib.contextmanager
def compiler(
    names: Sequence[str],
) -> Iterator[Callable[[Candidate], tuple[CompileReport, ...]]]:
    """What compiles a candidate for every architecture. Only then is the wall imported."""
    architectures = [architecture(name) for name in names]
    if not architectures:
        yield lambda _: ()
        return
    from assay.profile.compile.compile_only import AheadOfTimeCompiler

    with AheadOfTimeCompiler() as compiler:
        yield lambda candidate: tuple(compiler.compile(candidate, one) for one in architectures)


def inspect(
    candidate: Candidate, track: Track, reports: tuple[CompileReport, ...] = ()
) -> Inspection:
    """What the source shows by the rules of a track, and what compilers made of it."""
    report = analyse(candidate)

    def mention(name: str, where: str) -> Mention:
        return Mention(name=name, where=of_user(where, candidate))

    # Kernels of which one call launches some are a set: without this every process has its order.
    launched = sorted({(_line(seen.where), seen.where, seen.name) for seen in report.launches})

    return Inspection(
        candidate=candidate.name,
        candidate_id=candidate.id,
        language=candidate.language,
        entry=candidate.entry,
        files=tuple(file.path for file in candidate.sources),
        readable=report.readable,
        complete=report.complete and not report.opaque,
        kernels=tuple(mention(seen.name, seen.where) for seen in report.kernels),
        launches=tuple(mention(name, where) for _, where, name in launched),
        library_calls=tuple(mention(tag.name, tag.where) for tag in report.computed),
        evidence=tuple(evidence_of_user(item, candidate) for item in findings(report, track)),
        rubric=placed_unjudged(candidate.provenance, kernel_facts(candidate, reports)),
        compiled=tuple(_of_user(report, candidate) for report in reports),
    )


def _line(where: str) -> int:
    """The line of a place such as `kernel.py:12`."""
    line = where.rpartition(":")[2]
    return int(line) if line.isdecimal() else 0


def _of_user(report: CompileReport, candidate: Candidate) -> CompileReport:
    """The same report with the user's paths."""
    kernels = tuple(
        kernel.model_copy(
            update={
                "where": of_user(kernel.where, candidate),
                "message": of_user(kernel.message, candidate),
            }
        )
        for kernel in report.kernels
    )
    return report.model_copy(update={"kernels": kernels})
