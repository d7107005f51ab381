"""Every check, in the order in which they run.

Others add their own in the entry-point group `assay.checks` (name = "module:CHECK"); theirs run
after ours of the same stage, by name. The rule: one that cannot be loaded stays in the list and
says why, so that no verdict passes without it.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

from assay.checks.check_contract import Check
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.observations.observation import CheckMissing

ENTRY_POINT_GROUP = "assay.checks"
_BUILT_IN = (
    "recycled_memory",
    "leftovers",
    "repeated_calls",
    "counted_calls",
    "metamorphic_relations",
    "files_left",
    "process_state",
    "ablation",
    "device_kernels",
    "code_sampling",
    "sampled_batches",
    "repeated_content",
    "linked_objects",
    "generated_code",
    "held_results",
    "many_threads",
    "asked_again",
    "failure_explanation",
)


def all_checks() -> tuple[Check, ...]:
    """Ours, then those of other distributions."""
    ours = [import_module(f"assay.checks.{name}").CHECK for name in _BUILT_IN]
    found = {check.declared.name: check for check in ours}
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda p: (p.name, p.value)):
        check = _loaded(point)
        if check.declared.name in found:
            check = _unusable(point, f"the name '{check.declared.name}' is taken")
        found[check.declared.name] = check
    return tuple(found.values())


def _loaded(point: EntryPoint) -> Check:
    try:
        check = point.load()
        if not isinstance(check, Check):
            return _unusable(point, f"{point.value} is no Check but {type(check).__name__}")
    except Exception as error:  # whatever another distribution does when it is imported
        return _unusable(point, f"it cannot be loaded: {type(error).__name__}: {error}")
    declared = check.declared.model_copy(update={"origin": _origin(point)})
    return Check(declared, check.run, check.batches, check.phase)


def _unusable(point: EntryPoint, reason: str) -> Check:
    name = f"{point.name} ({point.value})"
    declared = CheckDeclaration(
        name=name,
        text="It cannot run.",
        kinds=(),
        cost=Cost.NOTHING,
        most="nothing",
        stages=(CheckStage.CALLED,),
        of_wrong=True,
        origin=_origin(point),
        missing=reason,
    )
    missing = CheckMissing(check=name, reason=reason, essential=True)
    return Check(declared, lambda context: [missing])


def _origin(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value
