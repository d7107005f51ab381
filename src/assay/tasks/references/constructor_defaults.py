"""Constructor defaults: floats of the constructor's signature that a task's own call leaves alone.

The rule: a kernel for the task takes them too, so an epsilon or a slope by default is asked with
other values. One is kept only where the reference runs with every version and no shape changes.
"""

from __future__ import annotations

from assay.tasks.references.task_source import DEFAULT, TaskModule, user_code
from assay.tasks.shapes.footprint import Footprint, Prober
from assay.tasks.shapes.shape_inference import VARIANT
from assay.tasks.shapes.source_sizes import FACTORS


def default_variants(module: TaskModule, prober: Prober) -> dict[str, str]:
    """The names of their axes, each with the key by which its versions are asked for."""
    with user_code(module.task.id, "get_init_inputs"):
        names = module.float_defaults(module.init_call())
    own = prober.at({}) if names else None
    if own is None:
        return {}
    keys = {f"{name}{VARIANT}": DEFAULT + name for name in names}
    return {name: key for name, key in keys.items() if _bears_versions(prober, key, own)}


def _bears_versions(prober: Prober, key: str, own: Footprint) -> bool:
    found = [prober.at({key: number}) for number in range(1, len(FACTORS))]
    return all(one is not None and one.same_shapes(own) for one in found)
