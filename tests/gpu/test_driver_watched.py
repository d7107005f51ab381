"""What a survey says of a process whose candidate changed the driver that times it."""

from __future__ import annotations

from assay.sandbox.host.deadline import Deadline
from support.walls import Inside

_SCALES_EVENTS = """
import sys
driver = sys.modules["assay.devices.cuda_driver"].CudaDriver
real = driver.elapsed_us
driver.elapsed_us = lambda self, start, end: 0.1 * real(self, start, end)
"""


def test_a_replaced_method_of_the_driver_is_named(inside: Inside) -> None:
    assert inside.load(_SCALES_EVENTS).code == 0, inside.session.statement()
    told = inside.session.survey(Deadline.after(10.0))
    assert "runner.cuda_driver.CudaDriver.elapsed_us" in [line.partition("\t")[0] for line in told]
