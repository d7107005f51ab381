"""Process state: what differs in the candidate's process from what it was before it came.

The rule: the child tells it, so it is testimony: it may convict, never acquit. A difference is told
once; each path and argument that was audited is told by itself. After the timing every process of
the candidate is asked, for each of those that were timed may have changed its state by then.
"""

from __future__ import annotations

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import StateSeen
from assay.sandbox.host.deadline import Deadline

_TIMEOUT_S = 10.0  # for the child to compare its state
_MOST_LINES = 200


def compare_state(context: CheckContext) -> list[StateSeen]:
    """Every difference that is not known yet. Raises Lost."""
    known = [o for o in context.seen if isinstance(o, StateSeen)]
    found: list[StateSeen] = []
    for line in context.session.survey(Deadline.after(_TIMEOUT_S))[:_MOST_LINES]:
        name, _, detail = line.partition("\t")
        seen = StateSeen(when=context.stage.value, name=name[:200], detail=detail[:300])
        alike = [o for o in (*known, *found) if o.name == seen.name]
        audited = seen.name.startswith("audit.")  # each path or argument tells its own story
        if not alike or (audited and seen.detail not in {o.detail for o in alike}):
            found.append(seen)
    return found


CHECK = Check(
    CheckDeclaration(
        name="process state",
        text="Are clocks, builtins, library functions, hooks and settings as they were before?",
        kinds=(
            EvidenceKind.PATCHED_STATE,
            EvidenceKind.LEFTOVER,
            EvidenceKind.GENERATED_KERNEL,
        ),
        cost=Cost.NOTHING,
        most="one request at each stage, after the timing to each process",
        stages=(CheckStage.BUILT, CheckStage.CALLED, CheckStage.TIMED),
        of_wrong=True,
    ),
    compare_state,
)
