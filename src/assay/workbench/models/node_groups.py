"""Node groups: the operations of a profile sorted into groups that a kernel could replace.

The rule: the key of a group is what is computed (the aten operation, or the text of the fused
region) and the shapes, dtypes and strides that it is computed on. Every operation is in one group.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from torch.fx import Node

from assay.workbench.models.cut_task import task_text
from assay.workbench.models.graph.fusion import fused, is_memory_bound
from assay.workbench.models.graph.region import KernelRegion
from assay.workbench.models.graph.region_work import multiplies, work_of
from assay.workbench.models.graph.traced_model import TracedModel
from assay.workbench.models.hot_report import GroupKind, GroupWork, Occurrence
from assay.workbench.models.model_answer import FoundGroup
from assay.workbench.models.operation_times import OperationTime
from assay.workbench.models.profile_rows import TensorForm

Spent = dict[str, float]  # microseconds of one forward, by aten operation
_REST = "views and the rest"
_MOST_NAMES = 4


def operation_groups(times: Iterable[OperationTime], forwards: int) -> list[FoundGroup]:
    """Without a graph: by aten operation and the forms of its inputs."""
    found: dict[tuple[str, tuple[TensorForm, ...]], list[float]] = defaultdict(list)
    for one in times:
        found[one.operation, one.inputs].append(one.exclusive_us)
    return [
        FoundGroup(
            label=operation.removeprefix("aten::"),
            kind=GroupKind.OPERATION,
            operations=(operation,),
            inputs=inputs,
            calls=max(1, round(len(spent) / forwards)),
            time_us=sum(spent) / forwards,
            work_reason="the model was not traced",
            task_reason="the model was not traced",
        )
        for (operation, inputs), spent in found.items()
    ]


def traced_groups(
    traced: TracedModel, times: Sequence[OperationTime], forwards: int, model: str
) -> list[FoundGroup]:
    """By the regions of the graph, equal ones together."""
    spent: dict[str, Spent] = defaultdict(dict)
    for one in times:
        _add(spent[one.node], {one.operation: one.exclusive_us / forwards})

    @cache
    def products(node: Node) -> bool:
        return multiplies(node, traced)

    @cache
    def joins(node: Node) -> bool:
        return is_memory_bound(node, traced, products)

    alike: dict[object, list[KernelRegion]] = defaultdict(list)
    rest: Spent = dict(spent.pop("", {}))
    for nodes in fused(traced.graph, joins):
        region = KernelRegion.of(nodes)
        if len(nodes) == 1 and nodes[0].name in traced.views:
            _add(rest, spent[nodes[0].name])
        else:
            alike[_key(region, traced)].append(region)
    found = [_group(regions, traced, spent, model) for regions in alike.values()]
    if rest:
        found.append(
            FoundGroup(
                label=_REST,
                kind=GroupKind.REST,
                operations=_names(rest),
                calls=1,
                time_us=sum(rest.values()),
                work_reason="they move nothing that a kernel could save",
                task_reason="nothing to compute",
            )
        )
    return found


def _key(region: KernelRegion, traced: TracedModel) -> object:
    try:
        lines, result = region.lines()
        return "\n".join(lines), result, region.forms(traced)
    except ValueError:
        return region.nodes  # what has no text is like nothing else


def _group(
    regions: list[KernelRegion], traced: TracedModel, spent: dict[str, Spent], model: str
) -> FoundGroup:
    first, operations = regions[0], Spent()
    for region in regions:
        for node in region.nodes:
            _add(operations, spent[node.name])
    calls = len(regions)
    plural = "" if calls == 1 else "s"
    title = f"{first.short_label}, cut out of {model}: {calls} call{plural} in a forward."
    work, work_reason = _work(first, traced)
    text, text_reason = _task(first, traced, title)
    return FoundGroup(
        label=first.label,
        kind=GroupKind.FUSION if len(first.nodes) > 1 else GroupKind.OPERATION,
        operations=_names(operations),
        inputs=_forms(first, traced),
        calls=calls,
        time_us=sum(operations.values()),
        work=work,
        work_reason=work_reason,
        occurrences=tuple(map(_occurrence, regions)),
        task_text=text,
        task_reason=text_reason,
    )


def _add(total: Spent, more: Spent) -> None:
    for name, time_us in more.items():
        total[name] = total.get(name, 0.0) + time_us


def _names(operations: Spent) -> tuple[str, ...]:
    """The longest first."""
    return tuple(sorted(operations, key=lambda name: -operations[name])[:_MOST_NAMES])


def _forms(region: KernelRegion, traced: TracedModel) -> tuple[TensorForm, ...]:
    return tuple(form for node in region.inputs for form in traced.forms[node.name])


def _work(region: KernelRegion, traced: TracedModel) -> tuple[GroupWork | None, str]:
    try:
        work = work_of(region, traced)
    except Exception as error:  # whatever torch raises on tensors without values
        return None, f"its work could not be traced: {error}".splitlines()[0][:200]
    return GroupWork(bytes=work.bytes, flops=dict(work.flops)), ""


def _task(region: KernelRegion, traced: TracedModel, title: str) -> tuple[str, str]:
    try:
        return task_text(region, traced, title), ""
    except ValueError as error:
        return "", str(error)


def _occurrence(region: KernelRegion) -> Occurrence:
    modules = (list(node.meta.get("nn_module_stack", {}))[-1:] for node in region.nodes)
    return Occurrence(
        nodes=tuple(node.name for node in region.nodes),
        modules=tuple(dict.fromkeys(path for paths in modules for path in paths)),
        inputs=tuple(node.name for node in region.inputs),
        outputs=tuple(node.name for node in region.outputs),
    )
