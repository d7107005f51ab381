"""What a busy machine does to a ratio, on made-up loads."""

from __future__ import annotations

from assay.data.observations.measurement import MachineLoad
from assay.timing.statistics.load_effect import (
    is_busy,
    is_too_busy,
    load_remarks,
    load_words,
    widening,
)


def test_a_quiet_machine_is_not_mentioned() -> None:
    quiet = MachineLoad(waited=0.01, stolen=0.0, pressure=0.02, others=0.1, processors=2)
    assert load_remarks(quiet) == () and widening(quiet) == 0.0 and not is_busy(quiet)
    assert load_remarks(None) == () and widening(None) == 0.0


def test_what_others_took_widens_and_is_said_with_what_to_do() -> None:
    busy = MachineLoad(waited=0.1, stolen=0.0, pressure=0.4, others=1.5, processors=2)
    (remark,) = load_remarks(busy)
    assert widening(busy) == 0.1 and not is_too_busy(busy)
    assert "10 % of the time" in remark and "--jobs 1" in remark
    assert "1.5 other tasks computed on 2 processors" in remark


def test_the_hypervisor_counts_as_others() -> None:
    stolen = MachineLoad(waited=0.0, stolen=0.2)
    assert widening(stolen) == 0.2 and "the hypervisor took 20 %" in load_words(stolen)


def test_beyond_a_quarter_no_ratio_can_be_stated() -> None:
    assert is_too_busy(MachineLoad(waited=0.6)) and not is_too_busy(MachineLoad(waited=0.2))


def test_neighbours_alone_are_said_but_do_not_widen() -> None:
    crowd = MachineLoad(waited=0.0, others=3.0, processors=4)
    assert load_remarks(crowd) and widening(crowd) == 0.0
