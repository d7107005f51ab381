"""Run analysis: everything that explains the figures of some runs, in one record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.data.candidate import Candidate
from assay.data.scoring.score_analysis import Analysis
from assay.scores.analysis.attribution import attribution
from assay.scores.analysis.category_failures import category_failures
from assay.scores.analysis.claimed_gains import claimed_gains
from assay.scores.analysis.hardware_spread import hardware_spread
from assay.scores.analysis.pareto import pareto
from assay.scores.analysis.rounds import repair_bias, transitions
from assay.scores.code.code_measures import code_measures
from assay.scores.graded import Graded, GradedTask
from assay.scores.grouped import groups


def run_analysis(
    runs: Sequence[str],
    tasks: Sequence[GradedTask],
    entries: Sequence[Graded],
    candidates: Mapping[str, Candidate],
) -> Analysis:
    """All parts; tasks that prove nothing are left out."""
    found = groups(tasks, entries)
    counted = found[0].tasks if found else ()
    kept = found[0].others if found else ()
    timed = [one for one in kept if one.accepted and one.speedup is not None]
    accepted = {one.candidate_id for one in kept if one.accepted}
    return Analysis(
        runs=tuple(runs),
        candidates=len(kept),
        accepted=sum(one.accepted for one in kept),
        timed=len(timed),
        slower=sum((one.speedup or 0.0) < 1.0 for one in timed),
        attribution=attribution(counted, kept),
        transitions=transitions(kept),
        repair_bias=repair_bias(kept),
        categories=category_failures(counted, kept),
        hardware=hardware_spread(kept),
        pareto=pareto(found),
        code=tuple(
            code_measures(candidate, identity in accepted)
            for identity, candidate in candidates.items()
        ),
        claims=claimed_gains(kept),
    )
