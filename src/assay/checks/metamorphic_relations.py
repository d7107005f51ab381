"""Metamorphic relations: the relations that hold on the reference, demanded of the candidate.

The rule: both calls are judged by the truth like any other. Then the second answer is compared with
what the first one foretells, within what both budgets allow together.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.contract import Quantised
from assay.data.evidence import EvidenceKind
from assay.data.observations.call import CallStage, Mix
from assay.data.observations.observation import RelationSeen
from assay.exam.answer_origin import AskedCall
from assay.exam.call_reading import BatchId, tensors_of
from assay.exam.exam import ContentKey
from assay.exam.exam_amounts import AMOUNTS
from assay.exam.script import ScriptedCall
from assay.exam.script_runner import ScriptRunner
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.exam.workloads.workload_sizes import small_with_rows
from assay.numerics.expectation import OutputExpectation
from assay.sandbox.host.planned_call import AT_END, AT_START, BatchOptions
from assay.sandbox.host.raw_call import RawCall
from assay.tasks.relations.relation import Relation, Tensors
from assay.tasks.relations.relation_discovery import discover


@dataclass(frozen=True)
class _Pair:
    """The two calls of one relation, with what each had to return."""

    relation: Relation
    first: AskedCall
    second: AskedCall


def demand_relations(context: CheckContext) -> list[RelationSeen]:
    """Some of the relations that hold, on a small workload. Raises Lost."""
    script_runner, exam = context.script_runner, context.exam
    small = small_with_rows(exam, script_runner.refused())
    contract = exam.reference.task.contract
    if small is None or not isinstance(contract, Quantised | None):
        return []
    with exam.turn:
        if not exam.relations:
            seed = exam.secret.seed("relations")
            held = discover(exam.reference, exam.plan.workloads[small], seed)
            exam.relations = {relation.name: relation for relation in held}
    chosen = list(exam.relations)
    exam.secret.random("relations").shuffle(chosen)
    found = []
    for number, name in enumerate(sorted(chosen[: AMOUNTS[context.settings.level].relations])):
        pair = _pair(script_runner, exam.relations[name], small)
        found += _try(script_runner, pair, BatchId(CallStage.RELATED, number))
    return found


def _pair(script_runner: ScriptRunner, relation: Relation, workload: int) -> _Pair:
    exam = script_runner.exam
    version = script_runner.prepare(exam.instance_of(workload), FIRST_WEIGHTS)
    plain = relation.base is tuple
    content_keys = (
        ContentKey(workload)
        if plain
        else ContentKey(workload, relation=relation.name, before=True),
        ContentKey(workload, relation=relation.name),
    )
    first, second = (
        AskedCall(
            ScriptedCall(content_key, spot, version, Mix.PLAIN),
            version,
            exam.expectation(content_key, version),
        )
        for content_key, spot in zip(content_keys, (AT_START, AT_END), strict=True)
    )
    return _Pair(relation, first, second)


def _try(script_runner: ScriptRunner, pair: _Pair, batch: BatchId) -> list[RelationSeen]:
    """Each in a batch of its own: what a call leaves behind must not reach the next."""
    raws = []
    for asked in (pair.first, pair.second):
        workload = asked.scripted.content_key.workload
        instance = script_runner.exam.instance_of(workload)
        script_runner.prepare(instance, FIRST_WEIGHTS)
        plan = script_runner.plan(asked, instance)
        result = script_runner.session.run([plan], BatchOptions(), script_runner.deadline())
        if not script_runner.record(batch, [asked], 0, result.calls[0]):
            return []
        raws.append(result.calls[0])
    return _compared(pair, raws[0], raws[1])


def _compared(pair: _Pair, first: RawCall, second: RawCall) -> list[RelationSeen]:
    expected = (*pair.first.expectations, *pair.second.expectations)
    outputs = (*tensors_of(first), *tensors_of(second))
    if not all(map(_comparable, expected)) or any(tensor is None for tensor in outputs):
        return []
    one, other = _wide(tensors_of(first)), _wide(tensors_of(second))
    relation, workload = pair.relation, pair.first.scripted.content_key.workload
    foretold = relation.predict(one)
    slack = _slack(relation, one, _budgets(pair.first.expectations))
    rest = relation.part(_budgets(pair.second.expectations))
    rows = zip(foretold, relation.part(other), slack, rest, strict=True)
    used = max(_share(*row) for row in rows)
    text = "" if used <= 1.0 else f"the answers are {used:.3g} times as far apart as they may be"
    seen = RelationSeen(
        name=relation.name,
        workload=workload,
        holds=used <= 1.0,
        budget_used=used if used < float("inf") else None,
        text=text,
    )
    return [seen]


def _comparable(expected: OutputExpectation) -> bool:
    """Real numbers, none of them planted or out of range."""
    return not (expected.non_finite or expected.special or expected.dtype.is_complex)


def _wide(tensors: tuple[torch.Tensor | None, ...]) -> Tensors:
    return tuple(t.double() for t in tensors if t is not None)


def _budgets(expectations: tuple[OutputExpectation, ...]) -> Tensors:
    return tuple(map(_budget, expectations))


def _budget(expected: OutputExpectation) -> torch.Tensor:
    """Of exact outputs zero; where several answers are right nothing is foretold."""
    exact = torch.zeros(expected.shape, dtype=torch.float64)
    budget = exact if expected.budget is None else expected.budget.view(expected.shape).clone()
    if expected.relief is not None:
        budget.view(-1)[expected.relief.index] = torch.inf
    return budget


def _slack(relation: Relation, outputs: Tensors, budgets: Tensors) -> Tensors:
    """How far what is foretold moves when every output moves by its budget."""
    middle = relation.predict(outputs)
    sides = [
        relation.predict(tuple(o + sign * b for o, b in zip(outputs, budgets, strict=True)))
        for sign in (1.0, -1.0)
    ]
    pairs = zip(middle, *sides, strict=True)
    return tuple(torch.maximum((a - m).abs(), (b - m).abs()) for m, a, b in pairs)


def _share(
    foretold: torch.Tensor, found: torch.Tensor, slack: torch.Tensor, rest: torch.Tensor
) -> float:
    apart, allowed = (foretold - found).abs(), slack + rest
    if apart.numel() == 0 or not bool((apart > 0).any()):
        return 0.0
    rounding = 4 * torch.finfo(torch.float64).eps * foretold.abs()
    return float((apart / (allowed + rounding).clamp_min(1e-300)).max())


CHECK = Check(
    CheckDeclaration(
        name="metamorphic relations",
        text="Do relations found on the reference hold: permuted, split, joined, scaled batches?",
        kinds=(EvidenceKind.WRONG_VALUE, EvidenceKind.RELATION_BROKEN),
        cost=Cost.CALLS,
        most="two calls a relation; 6 relations, 16 at full",
        stages=(CheckStage.CALLED,),
        levels=tuple(level for level, asked in AMOUNTS.items() if asked.relations),
        executions=(Execution.CPU, Execution.DEVICE),
    ),
    demand_relations,
    phase="repeated calls",
)
