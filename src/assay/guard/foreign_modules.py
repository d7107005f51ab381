"""Modules that are not a candidate's to import: the evaluator's own, and anyone's reference.

The rule: the evaluator's package convicts; a name under which harnesses keep references and tasks
counts only where the candidate has no file of that name itself.
"""

from __future__ import annotations

from assay.guard.reach import EVALUATOR_IMPORT, REFERENCE_IMPORT, TASK_TYPES_IMPORT, Reach

_EVALUATORS = frozenset("assay kernelbench kernelbot sol_execbench flashinfer_bench".split())
_REFERENCES = frozenset(
    """reference references ref ref_model model_ref reference_model reference_impl ground_truth
    golden oracle problem problems expected solution_ref torch_reference baseline judge grader
    evaluator checker eval_harness verify_kernel conftest""".split()
)
_HANDED_OUT = frozenset("task tasks utils".split())


def foreign_module(name: str, by_call: bool) -> Reach | None:
    """What importing a module means, where it is no file of the candidate's."""
    parts = name.lstrip(".").split(".")
    if parts[0] in _EVALUATORS:
        return EVALUATOR_IMPORT
    if parts[0] in _REFERENCES:
        return REFERENCE_IMPORT
    if parts[0] in _HANDED_OUT:
        looked_up = by_call and parts[0] != "utils"
        return REFERENCE_IMPORT if looked_up else TASK_TYPES_IMPORT
    return None
