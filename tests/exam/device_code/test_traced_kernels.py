"""What the child says of its kernels, compared with the code of libraries."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from assay.devices.recorder.cupti import KernelRecord
from assay.devices.recorder.launches import Launch, Launches
from assay.devices.recorder.loaded_modules import LoadedModules, digest
from assay.exam.device_code.traced_kernels import is_blank, traced
from assay.sandbox.child.kernel_log import KernelLog, _lines, code_text, without_marks
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
    records = [_record("mine", 0), _record("mine", 9000), _record("short", 5)]
    return "\n".join(_lines(records, modules)), modules


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
    ((code, _),) = modules.all_codes()
    assert code.whole == digest(CODE) and len(code.digests) == 2
    assert code_text(modules, 0) == f"{code.whole},{code.kinds}\tmine"
    assert code_text(modules, 1) == ""


def test_a_copy_in_which_a_register_was_changed_has_the_librarys_function_too() -> None:
    said, modules = _said()
    ((code, _),) = modules.all_codes()
    seen = traced(_session(said), [None], Deadline.after(1.0), {code.kinds: "vendor_gemm"})  # type: ignore[list-item]
    assert [kernel.library_code for kernel in seen.kernels] == ["vendor_gemm", ""]


def _mark(start_ns: int) -> KernelRecord:
    return replace(_record("at::native::nextafter_kernel", start_ns), grid=(1, 1, 1))


def test_the_runners_own_kernels_are_taken_out_of_the_records() -> None:
    mine, theirs = _record("mine", 5), _record("nextafter", 6)
    assert without_marks([_mark(0), mine, theirs, _mark(9)], "nextafter") == ([mine, theirs], 2)
    assert without_marks([_mark(0), _mark(3), _mark(9)], "nextafter") == ([_mark(3)], 2)
    assert without_marks([_mark(0), mine], "nextafter") == ([mine], 1)
    assert without_marks([], "nextafter") == ([], 0)


class _Accelerator:
    """Records what it is told to, and says in which order it was asked."""

    mark_name, modules, launches = "nextafter", LoadedModules(), Launches(None)

    def __init__(self, *records: KernelRecord) -> None:
        self.asked: list[str] = []
        self._records = list(records)

    def __getattr__(self, name: str) -> Any:
        return lambda: self.asked.append(name)

    def kernel_trace(self) -> Any:
        return self

    def stop(self) -> list[KernelRecord]:
        self.asked.append("stop")
        return self._records


def _logged(accelerator: _Accelerator) -> str:
    request = SimpleNamespace(calls=[SimpleNamespace(instance=0, inputs=())])
    instances = {0: lambda: accelerator.asked.append("call")}
    return KernelLog(accelerator).run(request, instances, None)  # type: ignore[arg-type]


def test_marks_run_on_both_sides_of_the_calls_within_the_trace() -> None:
    accelerator = _Accelerator(_mark(0), _mark(9))
    assert _logged(accelerator) == "marked"
    asked = ["mark", "finish", "start", "mark", "call", "take_back", "mark", "finish", "stop"]
    assert accelerator.asked == asked


def test_records_without_both_marks_say_nothing_of_the_calls() -> None:
    for records in ((), (_mark(0),)):
        said = _logged(_Accelerator(*records))
        seen = traced(_session(said), [None], Deadline.after(1.0))  # type: ignore[list-item]
        assert not seen.marked and seen.kernels == () and is_blank(seen)
    said = _logged(_Accelerator(_mark(0), _record("mine", 3), _mark(9)))
    seen = traced(_session(said), [None], Deadline.after(1.0))  # type: ignore[list-item]
    assert seen.marked and [k.name for k in seen.kernels] == ["mine"] and not is_blank(seen)
    assert not is_blank(seen.model_copy(update={"kernels": (), "reason": "no CUPTI"}))


class _Heard(Launches):
    """A launch of ours, of the call's, and of ours again."""

    def __init__(self) -> None:
        super().__init__(None)
        self._said: list[tuple[Launch, ...]] = [((1,),), ((2,), (3,)), ((4,),)]

    def taken(self) -> tuple[Launch, ...]:
        return self._said.pop(0)


def test_launches_that_left_no_record_are_counted() -> None:
    marks = (replace(_mark(0), launch=1), replace(_mark(9), launch=4))
    accelerator = _Accelerator(marks[0], replace(_record("mine", 3), launch=2), marks[1])
    accelerator.launches = _Heard()
    seen = traced(_session(_logged(accelerator)), [None], Deadline.after(1.0))  # type: ignore[list-item]
    assert seen.unrecorded == 1 and is_blank(seen) and seen.kernels[0].name == "mine"
