"""Launches that leave no record."""

from __future__ import annotations

import threading

import pytest

from assay.devices.recorder.cupti_subscriber import CuptiSubscriber
from assay.devices.recorder.launches import Launches, without_record
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
    assert launches.taken() == ((2,), (3,))
    library.launch(DRIVER, 514, 5)
    assert launches.taken() == ((5,),)
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


def test_what_the_runtime_asks_the_driver_for_is_one_launch() -> None:
    library = FakeCupti()
    launches = Launches(CuptiSubscriber(library))
    launches.start()
    for inner in (2, 1):  # the driver may give it a number of its own
        library.tell(RUNTIME, 211, 1, site=0)
        library.launch(DRIVER, 307, inner)
        library.tell(RUNTIME, 211, 1, site=1)
    library.launch(DRIVER, 307, 3)
    assert launches.taken() == ((1, 2), (1, 1), (3,))


def test_a_launch_of_another_thread_is_not_part_of_one_that_is_under_way() -> None:
    library = FakeCupti()
    launches = Launches(CuptiSubscriber(library))
    launches.start()
    library.tell(RUNTIME, 211, 1, site=0)
    thread = threading.Thread(target=library.launch, args=(DRIVER, 307, 2))
    thread.start()
    thread.join()
    library.launch(DRIVER, 307, 3)
    assert launches.taken() == ((1, 3), (2,))


def test_a_launch_of_which_no_number_is_in_a_record_is_missing() -> None:
    ours = [(1,), (8, 9)]
    asked = [(2,), (3, 4), (5,)]
    assert without_record(asked, ours, {1, 2, 4, 5, 9}) == 0
    assert without_record(asked, ours, {1, 2, 9}) == 2
    assert without_record(asked, [], {2}) == 2


def test_where_our_own_launches_are_not_recorded_by_number_numbers_say_nothing() -> None:
    assert without_record([(2,), (3,)], [(1,), (4,)], {4, 2}) == 0
