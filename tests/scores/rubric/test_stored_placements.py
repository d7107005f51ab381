from __future__ import annotations

from assay.data.run import Entry
from assay.data.scoring.rubric import KernelFacts
from assay.data.task import Task
from assay.data.verdict import Status
from assay.scores.rubric.stored_placements import StoredKernel, facts_kept, stored_placements
from sample_records import TIMING, candidate, verdict

TASK = Task(id="gelu", format="native", source="# gelu", tags=("rubric:K1",))


def stored(name: str, time_us: float, status: Status = Status.ACCEPTED) -> StoredKernel:
    made = candidate(name, f"# {name}")
    timing = TIMING.model_copy(update={"candidate_us": time_us, "speedup": 240.0 / time_us})
    said = verdict(status, candidate=name, candidate_id=made.id, timing=(timing,))
    return StoredKernel(Entry(number=0, task=TASK, candidate=made), said, KernelFacts())


def test_each_is_compared_with_the_fastest_of_the_others() -> None:
    given = [stored("slow", 120.0), stored("fast", 40.0), stored("wrong", 1.0, Status.INCORRECT)]
    slow, fast, wrong = stored_placements(given)
    assert slow.rubric.performance == 1 and "0.33x" in slow.rubric.reasons[3]
    assert fast.rubric.performance == 4 and "slow, stored" in fast.rubric.reasons[3]
    assert wrong.rubric.performance is None


def test_the_same_kernel_twice_is_no_best_known() -> None:
    (first, _) = stored_placements([stored("one", 120.0), stored("one", 40.0)])
    assert first.rubric.performance == 2 and "eager" in first.rubric.reasons[3]


def test_an_entry_without_a_verdict_is_open() -> None:
    one = stored("one", 1.0)
    (found,) = stored_placements([StoredKernel(one.entry, None, KernelFacts())])
    assert found.status == "open" and facts_kept(None) is None
