"""Trials: proposals run on the reference, within the level's limits.

The rule: what a trial costs is foreseen where it can be. Shapes are counted before anything is
drawn, a run is skipped that the fastest run so far foretells to be long. Time is this thread's own
processor time, so that a busy machine does not ask fewer questions.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from assay.data.axis import AxisRole
from assay.data.workload import Distribution, Layout, Workload
from assay.errors import TaskError
from assay.exam.workloads.shape_points import HEAVY_STATE, Point
from assay.tasks.references.admission import Admission
from assay.tasks.references.reference import Reference
from assay.tasks.shapes.shapes_only import SizeLimit
from assay.tasks.values.memory_layouts import applies

Config = tuple[tuple[str, int], ...]
LONGEST_RUN_S = 1.0
TRIAL_ELEMENTS = 1 << 24
LARGEST_RESULT = 5 << 20  # of what is not near the own sizes
TRIAL_MULTIPLICATIONS = 1 << 31  # a small input can still ask for a huge product
# Results of one run: an expectation takes 28 runs' time under the modes that watch it, 7 s for a
# loop that makes 50,000 of them.
TRIAL_CALLS = 1 << 14
UNKNOWN_SIZE = 1 << 12  # of a constructor whose parameters cannot be counted beforehand
RATE_ELEMENTS = 1 << 15  # a smaller run says little about the time of a larger one
PLANTED = (Distribution.NAN, Distribution.INF, Distribution.NANS, Distribution.BESIDE_INF)
_PLACES = 4  # of a planted value, or draws of values that may be refused, that are tried
CONTIGUOUS_INPUTS = "CONTIGUOUS_INPUTS"  # what a task says whose inputs lie in no other way
# Ways to lie that are contiguous, or the task's own.
WHOLE = frozenset({Layout.CONTIGUOUS, Layout.OWN, Layout.OFFSET, Layout.SAME})
NEAR_OWN = 20.0  # growth of a result, at most quadratic in a size, that needs no counting


@dataclass(frozen=True)
class TrialLimits:
    """How much the level grants."""

    configs: int  # distinct constructor configurations, the own one included
    seconds: float
    result_elements: int = LARGEST_RESULT  # of one tensor made on the way


class WorkloadTrials:
    """Says which proposals the reference admits."""

    def __init__(
        self, reference: Reference, limits: TrialLimits, rng: random.Random, light: Point
    ) -> None:
        self._reference = reference
        self._limits = limits
        self._rng = rng
        self._until_s = time.thread_time() + limits.seconds
        self._fastest: dict[Config, float] = {}  # seconds an element, by configuration
        self._configs = {reference.config(reference.own_axes)}
        self._whole_only = reference.declared(CONTIGUOUS_INPUTS) is True
        own = reference.footprint(reference.own_axes)
        self._heavy = own is None or own.state_elements > HEAVY_STATE
        if self._heavy:  # values and layouts are asked there: it must not fall to the limit
            self._configs.add(reference.config(light))

    def over(self) -> bool:
        """True when the time for trials is spent."""
        return time.thread_time() > self._until_s

    def best(self, alternatives: Sequence[Workload]) -> Workload | None:
        """The first that tells something, else the first that is admitted at all."""
        dull = None
        for workload in alternatives:
            found = self.examine(workload)
            if found is Admission.INFORMATIVE:
                return workload
            if found is Admission.DULL and dull is None:
                dull = workload
            if self.over():
                break
        return dull

    def examine(self, workload: Workload) -> Admission:
        """What the reference says to it; the own constructor is not built where heavy."""
        reference = self._reference
        if self._whole_only and workload.layout not in WHOLE:
            return Admission.REFUSED
        config = reference.config(workload.axes)
        if config not in self._configs and len(self._configs) >= self._limits.configs:
            return Admission.REFUSED
        if self._heavy and config == reference.config(reference.own_axes):
            known = self._plain(workload) and reference.footprint(workload.axes) is not None
            return Admission.INFORMATIVE if known else Admission.REFUSED
        found = Admission.REFUSED if self._too_heavy(workload) else self._run(workload)
        if found is not Admission.REFUSED:
            self._configs.add(config)
        return found

    def _too_heavy(self, workload: Workload) -> bool:
        """True where this configuration has too many parameters to construct for a trial."""
        reference = self._reference
        if not self._heavy and reference.config(workload.axes) == reference.config(
            reference.own_axes
        ):
            return False
        found = reference.footprint(workload.axes)
        if found is None:
            return self._heavy or max(workload.axes.values()) > UNKNOWN_SIZE
        return found.state_elements > HEAVY_STATE

    def _plain(self, workload: Workload) -> bool:
        own = self._reference.own_workload()
        return workload.distribution is Distribution.OWN and workload.layout is own.layout

    def _run(self, workload: Workload) -> Admission:
        reference = self._reference
        far = self._is_far(workload)
        if far and self._asks_too_much(workload):
            return Admission.REFUSED
        try:
            with SizeLimit(TRIAL_ELEMENTS, TRIAL_MULTIPLICATIONS):
                inputs = reference.draw(workload, self._rng.getrandbits(31))
            if workload.layout is not reference.own_workload().layout:
                bare = reference.draw(workload.model_copy(update={"layout": Layout.OWN}), 0)
                if not applies(bare, workload.layout, reference.structures()):
                    return Admission.REFUSED
            if not self._bears_draws(workload):
                return Admission.REFUSED
        except TaskError:
            return Admission.REFUSED
        if far and reference.largest_result(workload, inputs) > self._limits.result_elements:
            return Admission.REFUSED
        return self._timed(workload, inputs)

    def _asks_too_much(self, workload: Workload) -> bool:
        """Whether small runs foretell too large a tensor, or a loop that makes too many."""
        made = self._reference.predicted_result(workload.axes)
        calls = self._reference.foreseen_calls(workload.axes)
        return made > self._limits.result_elements or calls > TRIAL_CALLS

    def _bears_draws(self, workload: Workload) -> bool:
        """Whether the reference runs on every draw, where it may raise on one.

        Some read only half of a matrix in which a NaN lies; most matrices of zeros have no inverse.
        """
        if workload.distribution not in PLANTED and not self._reference.meaning.refuses_values:
            return True
        draws = (self._reference.draw(workload, seed) for seed in range(_PLACES))
        found = (self._reference.examine(workload, inputs) for inputs in draws)
        return all(one is not Admission.REFUSED for one in found)

    def _timed(self, workload: Workload, inputs: tuple[Any, ...]) -> Admission:
        """Runs it, unless the fastest run so far foretells that it takes too long."""
        elements = sum(value.numel() for value in inputs if isinstance(value, torch.Tensor))
        began_s = time.thread_time()
        config = self._reference.config(workload.axes)
        if elements * self._fastest.get(config, 0.0) > LONGEST_RUN_S:
            return Admission.REFUSED
        with SizeLimit(TRIAL_ELEMENTS, TRIAL_MULTIPLICATIONS):
            found = self._reference.examine(workload, inputs)
        if elements >= RATE_ELEMENTS:
            spent = (time.thread_time() - began_s) / elements
            self._fastest[config] = min(self._fastest.get(config, spent), spent)
        return found

    def _is_far(self, workload: Workload) -> bool:
        """True where some result on the way may be too large; near the own sizes it is not."""
        growth = 1.0
        for axis in self._reference.axes:
            if axis.role is AxisRole.CONSTANT:
                continue
            times = max(1.0, workload.axes[axis.name] / axis.own)
            growth *= times if axis.role is AxisRole.BATCH else times**2
        return growth > NEAR_OWN
