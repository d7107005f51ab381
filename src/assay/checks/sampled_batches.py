"""Sampled batches: whose code runs in the process that is timed, and what it leaves at work.

The rule: the batches are those of the stopwatch, which draws them in secret. Each is sampled by
itself, from the moment its contents are written to its end, and the samples of all count together.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.checks.check_contract import Check
from assay.checks.code_samples.provenance_record import code_sampler, provenance_seen
from assay.checks.leftovers import busy_threads
from assay.data.check import CheckDeclaration, CheckStage, Cost, Execution
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import LeftoverSeen, Observation
from assay.data.settings import Track
from assay.sampling.sample_sum import together
from assay.sampling.sampler import RATE_HZ, Samples
from assay.sandbox.host.session import Session


class SampledBatches:
    """One process and the samples of its drawn batches."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._samples: list[Samples] = []
        self._leftovers: list[LeftoverSeen] = []
        self.attributed = self.total = 0

    @contextmanager
    def sampling(self) -> Iterator[None]:
        """Look while the batch inside runs."""
        sampler = code_sampler(self._session, RATE_HZ)
        sampler.start()
        try:
            yield
        finally:
            self._samples.append(sampler.stop())
            self.attributed += sampler.attributed
            self.total += sampler.total

    def look_for_leftovers(self, number: int) -> None:
        """After a batch: does something still compute?"""
        self._leftovers += busy_threads(self._session.process, number)

    def observations(self, call_us: float, ran_us: float) -> list[Observation]:
        """The samples of all batches as one record, and what was left at work."""
        samples = together(self._samples)
        spent_us = samples.looked_at_us(call_us, ran_us)
        seen = provenance_seen(samples, spent_us, interpreted=False)
        return [seen.model_copy(update={"timed": True}), *self._leftovers]


CHECK = Check(
    CheckDeclaration(
        name="sampled rounds",
        text="Is the code that computes in timed rounds the candidate's own, and does it end?",
        kinds=(EvidenceKind.DELEGATION, EvidenceKind.LEFTOVER),
        cost=Cost.CALLS,
        most="a batch of 30 ms in one of five timed rounds, later in one of twelve",
        stages=(CheckStage.TIMED,),
        tracks=(Track.KERNEL, Track.MIXED),
        executions=(Execution.CPU,),
    ),
)
