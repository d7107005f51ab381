"""Launches that leave no record."""

from __future__ import annotations

import pytest

from assay.devices.recorder.cupti_subscriber import CuptiSubscriber
from assay.devices.recorder.launches import Launch, Launches, without_record
from assay.errors import DeviceError
from devices.recorder.fake_cupti import FakeCupti

DRIVER, RUNTIME = 1, 2


def test_launches_of_both_interfaces_are_heard_once_while_they_are_listened_to() -> None:
    library = FakeCupti(unknown=(RUNTIME, 505))
    launches = Launches(CuptiSubscriber(library))
    library.launch(DRIVER, 307, 1)
    launches.start()
    library.launch(DRIVER, 307, 2)
    library.launch(RUNTIME, 311, 3)
    library.launch(DRIVER, 5, 4)  # of something else
    assert launches.taken() == (Launch(DRIVER, 2), Launch(RUNTIME, 3))
    library.launch(DRIVER, 514, 5)
    assert launches.taken() == (Launch(DRIVER, 5),)
    launches.stop()
    library.launch(DRIVER, 307, 6)
    assert launches.taken() == () and library.enabled == set()


def test_who_ends_the_listening_is_found_out() -> None:
    library = FakeCupti()
    launches = Launches(CuptiSubscriber(library))
    launches.start()
    library.enabled.discard((DRIVER, 307))
    with pytest.raises(DeviceError, match="event 307 of domain 1"):
        launches.stop()


def test_without_cupti_nothing_is_heard() -> None:
    launches = Launches(None)
    launches.start()
    assert launches.taken() == ()
    launches.stop()


def test_a_launch_whose_number_is_in_no_record_is_missing() -> None:
    ours = [Launch(DRIVER, 1), Launch(DRIVER, 9)]
    asked = [Launch(DRIVER, 2), Launch(DRIVER, 3), Launch(DRIVER, 3)]
    assert without_record(asked, ours, {1, 2, 3, 9}) == 0
    assert without_record(asked, ours, {1, 2, 9}) == 1
    assert without_record(asked, [], {2}) == 1


def test_numbers_that_are_not_those_of_the_records_say_nothing() -> None:
    ours = [Launch(DRIVER, 1), Launch(RUNTIME, 2)]
    asked = [Launch(DRIVER, 3), Launch(RUNTIME, 4), Launch(DRIVER, 5), Launch(RUNTIME, 6)]
    assert without_record(asked, ours, {2, 4}) == 1  # the second call of the runtime's
