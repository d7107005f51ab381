"""What a log of bounded length says of many kernels."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from assay.devices.recorder.cupti import KernelRecord
from assay.devices.recorder.launches import Launches
from assay.devices.recorder.loaded_modules import LoadedModules
from assay.errors import DeviceError
from assay.exam.device_code.traced_kernels import traced
from assay.judge.behaviour.kernel_share import kernel_times
from assay.judge.behaviour.own_names import OwnNames
from assay.sandbox.child.kernel_log import _MOST_CODES, _MOST_NAMES, KernelLog, _lines
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.protocol.replies import FAILED, MORE_KERNELS, ReplyCode
from assay.sandbox.protocol.requests import STATEMENT_BYTES
from devices.cubins import cubin


def _record(name: str, ns: int) -> KernelRecord:
    return KernelRecord(name, 0, ns, 7, (4, 1, 1), (256, 1, 1), 32, 64, name)


def _seen(lines: list[str]) -> Any:
    session = SimpleNamespace(
        trace=lambda calls, deadline: SimpleNamespace(code=ReplyCode.OK),
        statement=lambda: "\n".join(lines),
    )
    return traced(session, [None], Deadline.after(1.0))  # type: ignore[arg-type,list-item]


def test_the_longest_of_many_names_are_said_and_the_rest_is_summed() -> None:
    records = [_record(f"mine_{number}", 1000) for number in range(300)]
    seen = _seen(_lines([*records, _record("vendor_gemm", 9000)], LoadedModules()))
    assert seen.kernels[0].name == "vendor_gemm" and len(seen.kernels) == _MOST_NAMES
    rest = seen.kernels[-1]
    assert (rest.name, rest.launches, rest.total_us) == (MORE_KERNELS, 152, 152.0)
    assert kernel_times(seen, OwnNames(frozenset({"mine_1"}))).library_us >= 9.0 + rest.total_us


def test_every_line_fits_the_statement() -> None:
    modules = LoadedModules()
    name = "\u00e9" * 500
    for number in range(_MOST_CODES // 2):
        modules.add(cubin({f"{name}{n}": bytes([number]) * 1024 for n in range(_MOST_NAMES)}))
    lines = _lines([_record(f"{name}{n}", 1000) for n in range(2 * _MOST_NAMES)], modules)
    assert len("\n".join(lines).encode()) < STATEMENT_BYTES - 4
    seen = _seen(lines)
    assert len(seen.kernels) == _MOST_NAMES and seen.kernels[0].name == "\u00e9" * 200


def test_more_functions_of_one_name_than_are_said_are_no_record() -> None:
    modules = LoadedModules()
    for number in range(_MOST_CODES // 2 + 1):
        modules.add(cubin({"mine": bytes([number]) * 1024}))
    with pytest.raises(DeviceError, match="too many functions are called mine"):
        _lines([_record("mine", 1000)], modules)


def test_modules_that_were_passed_over_are_no_record() -> None:
    modules = LoadedModules()
    modules.passed_over = 1
    log = KernelLog(_accelerator(SimpleNamespace(start=lambda: None, stop=list), modules))
    with pytest.raises(DeviceError, match="1 modules were too large"):
        log.run(SimpleNamespace(calls=()), {}, None)  # type: ignore[arg-type]


def _accelerator(trace: Any, modules: LoadedModules) -> Any:
    accelerator = SimpleNamespace(
        kernel_trace=lambda: trace, modules=modules, launches=Launches(None), mark_name="nextafter"
    )
    for name in ("mark", "finish", "take_back"):
        setattr(accelerator, name, lambda: None)
    return accelerator


def _refuses() -> None:
    raise DeviceError("CUPTI\nrefuses")


@pytest.mark.parametrize("at", ["start", "stop"])
def test_work_is_done_once_whether_or_not_it_can_be_recorded(at: str) -> None:
    trace = SimpleNamespace(start=lambda: None, stop=list)
    done: list[int] = []
    assert KernelLog(_accelerator(trace, LoadedModules())).around(lambda: done.append(1)) == ""
    setattr(trace, at, _refuses)
    said = KernelLog(_accelerator(trace, LoadedModules())).around(lambda: done.append(2))
    assert done == [1, 2] and said == f"{FAILED}\tCUPTI refuses"
    seen = _seen([said])
    assert seen.reason == "CUPTI refuses" and seen.kernels == ()
