"""What the child says of its kernels, compared with the code of libraries."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from assay.devices.cupti import KernelRecord
from assay.devices.loaded_modules import LoadedModules, digest
from assay.exam.device_code.traced_kernels import traced
from assay.sandbox.child.kernel_log import _text, code_text
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.protocol.replies import ReplyCode
from devices.cubins import cubin

CODE = b"\x01\x02" * 1024


def _session(statement: str, code: ReplyCode = ReplyCode.OK) -> Any:
    reply = SimpleNamespace(code=code)
    return SimpleNamespace(trace=lambda calls, deadline: reply, statement=lambda: statement)


def _record(symbol: str, start_ns: int) -> KernelRecord:
    shape = ((4, 1, 1), (256, 1, 1))
    return KernelRecord(symbol, start_ns, start_ns + 2000, 7, *shape, 32, 64, symbol)


def _said() -> tuple[str, LoadedModules]:
    modules = LoadedModules()
    modules.add(cubin({"mine": CODE, "short": CODE[:64]}))
    return _text([_record("mine", 0), _record("mine", 9000), _record("short", 5)], modules), modules


def test_a_kernel_whose_code_is_a_librarys_names_the_librarys_function() -> None:
    said, modules = _said()
    library = {digest(CODE): "vendor_gemm", "0" * 16: "another"}
    seen = traced(_session(said), [None] * 2, Deadline.after(1.0), library)  # type: ignore[list-item]
    mine, short = seen.kernels
    assert (mine.name, mine.launches, mine.total_us) == ("mine", 2, 4.0)
    assert mine.codes == modules.codes("mine") and mine.library_code == "vendor_gemm"
    assert short.codes == () and short.library_code == "" and seen.compared == 2


def test_code_that_no_library_has_says_nothing() -> None:
    seen = traced(_session(_said()[0]), [None], Deadline.after(1.0), {})  # type: ignore[list-item]
    assert [kernel.library_code for kernel in seen.kernels] == ["", ""] and seen.compared == 0


def test_a_failed_trace_says_why() -> None:
    failed = _session("Traceback\nDeviceError: no CUPTI", ReplyCode.RAISED)
    seen = traced(failed, [None], Deadline.after(1.0))  # type: ignore[list-item]
    assert seen.reason == "DeviceError: no CUPTI" and seen.kernels == ()


def test_loaded_code_is_listed_page_by_page() -> None:
    modules = _said()[1]
    assert code_text(modules, 0) == f"{digest(CODE)}\tmine" and code_text(modules, 1) == ""
