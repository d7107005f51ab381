"""A task as stages: traced in a process of its own, lowered, planned, its loops joined.

The rule: whatever is not covered is a ValueError that says what.
"""

from __future__ import annotations

from assay.data.task import Task
from assay.data.workload import Direction
from assay.generators.templates.graph.graph_lowering import lowered
from assay.generators.templates.graph.traced_graph import TracedGraph, traced
from assay.generators.templates.loop_joining import joined
from assay.generators.templates.stage_plan import planned
from assay.generators.templates.targets.candidate_module import PlannedTask


def planned_task(task: Task) -> PlannedTask:
    """Trace and plan."""
    if task.direction is not Direction.FORWARD:
        raise ValueError("templates are written for the forward direction")
    return plan_of(task, traced(task))


def plan_of(task: Task, graph: TracedGraph) -> PlannedTask:
    """Plan what was traced."""
    plan = planned(lowered(graph))
    stages = tuple(joined(plan.lowering, one) for one in plan.stages)
    return PlannedTask(task, graph, plan, stages)
