from __future__ import annotations

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.observation import RepetitionSeen
from assay.judge.behaviour.faster_repeats import findings


def pairs(ratios: list[float], first_us: float = 1000.0) -> RepetitionSeen:
    again = tuple(first_us * ratio for ratio in ratios)
    return RepetitionSeen(first_us=(first_us,) * len(ratios), again_us=again)


@pytest.mark.parametrize("ratios", [[0.1] * 8, [0.45] * 8, [0.1] * 7 + [1.5]])
def test_an_answer_that_costs_half_the_second_time_is_remembered(ratios: list[float]) -> None:
    (found,) = findings(pairs(ratios))
    assert (found.kind, found.severity) == (EvidenceKind.MEMO, Severity.CONVICTS)


@pytest.mark.parametrize(
    "ratios", [[1.0] * 8, [0.4] * 6 + [0.9] * 2, [0.5, 2.0] * 4, [0.78] * 8, [0.6] * 7 + [0.9]]
)
def test_noise_and_warm_caches_are_not(ratios: list[float]) -> None:
    assert findings(pairs(ratios)) == ()


@pytest.mark.parametrize("ratios", [[0.6] * 8, [0.72] * 8, [0.62] * 7 + [0.79]])
def test_a_memo_that_waits_is_suspected(ratios: list[float]) -> None:
    (found,) = findings(pairs(ratios))
    assert (found.kind, found.severity) == (EvidenceKind.MEMO, Severity.SUSPICIOUS)


def test_of_few_pairs_all_must_agree() -> None:
    (found,) = findings(pairs([0.01] * 3))
    assert found.severity is Severity.CONVICTS
    assert findings(pairs([0.01, 0.01, 0.6])) == () and findings(pairs([0.6] * 4)) == ()


def test_a_short_call_is_judged_in_batches_alone() -> None:
    short = pairs([0.1] * 8, first_us=60.0)
    assert findings(short) == ()
    (found,) = findings(short.model_copy(update={"calls": 32}))
    assert found.severity is Severity.CONVICTS


def test_a_load_that_delays_the_first_call_of_each_pair_is_no_memo() -> None:
    """Times of an honest inverse, asked beside ten other processes on two cores."""
    first = (9817.5, 1669.7, 1672.5, 3971.1, 4170.0, 2473.8, 12688.5, 430.1)
    again = (540.2, 524.4, 443.1, 2378.6, 571.5, 678.6, 566.6, 417.4)
    new = (541.9, 701.5, 611.9, 1185.1, 1396.7, 1809.3, 445.1, 1439.9)
    seen = RepetitionSeen(first_us=first, again_us=again)
    assert findings(seen)[0].severity is Severity.CONVICTS  # where nothing new was asked
    assert findings(seen.model_copy(update={"new_us": new})) == ()
    slow = tuple(3 * us for us in new)
    assert findings(seen.model_copy(update={"new_us": slow}))[0].severity is Severity.CONVICTS


def test_two_new_contents_as_quick_as_known_ones_acquit_in_every_comparison() -> None:
    """A kernel that makes threads takes one to four times as long on a busy machine."""
    slow = (3700.0, 4200.0, 2000.0, 920.0, 3500.0, 1300.0, 3450.0, 4250.0)
    quick = (1100.0, 1100.0, 700.0, 1300.0, 1100.0, 620.0, 1250.0, 1300.0)
    compared = (
        {"once_us": slow, "often_us": quick},
        {"fresh_us": slow, "changed_us": quick, "changed_inputs": (0,) * 8},
        {"new_us": slow, "near_us": quick},
    )
    for times in compared:
        assert findings(RepetitionSeen(**times)) == ()
        never = {name: tuple(2000.0 if us < 2000.0 else us for us in slow) for name in times}
        slower = {name: us if us != slow else never[name] for name, us in times.items()}
        assert findings(RepetitionSeen(**slower))[0].severity is Severity.CONVICTS


def test_what_was_not_asked_is_said() -> None:
    (found,) = findings(RepetitionSeen(reason="too large"))
    assert (found.kind, found.severity) == (EvidenceKind.UNKNOWN, Severity.NOTE)


def changed(ratios: list[float], of_others: float = 1.0) -> RepetitionSeen:
    """Two inputs: the first changes in part at these ratios, the second at another one."""
    plain = pairs([1.0] * len(ratios))
    times = [us for ratio in ratios for us in (1000.0 * ratio, 1000.0 * of_others)]
    inputs = (0, 1) * len(ratios)
    fresh = (1000.0,) * len(ratios)
    return plain.model_copy(
        update={"fresh_us": fresh, "changed_us": tuple(times), "changed_inputs": inputs}
    )


def test_a_few_new_elements_that_cost_half_as_much_as_many_show_kept_parts() -> None:
    (found,) = findings(changed([0.2] * 8))
    assert found.kind is EvidenceKind.MEMO and "argument 0" in found.text
    (found,) = findings(changed([1.0] * 8, of_others=0.1))
    assert "argument 1" in found.text


@pytest.mark.parametrize("ratios", [[1.0] * 8, [0.6] * 8, [0.4] * 6 + [0.9] * 2])
def test_parts_that_cost_as_much_are_computed(ratios: list[float]) -> None:
    assert findings(changed(ratios)) == ()


def test_whoever_is_faster_where_most_elements_are_known_remembers() -> None:
    new, near = (1000.0,) * 8, (400.0,) * 8
    (found,) = findings(RepetitionSeen(new_us=new, near_us=near))
    assert (found.kind, found.severity) == (EvidenceKind.MEMO, Severity.CONVICTS)
    few = RepetitionSeen(new_us=new, changed_us=near, changed_inputs=(0,) * 8)
    assert findings(few) and not findings(few.model_copy(update={"calls": 16}))
    assert not findings(RepetitionSeen(new_us=new, near_us=(800.0,) * 8))
    assert not findings(RepetitionSeen(new_us=(300.0,) * 8, near_us=(90.0,) * 8))  # a short sort
    assert findings(RepetitionSeen(new_us=(300.0,) * 8, near_us=(90.0,) * 8, calls=16))
