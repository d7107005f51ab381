"""Functions of a cubin are told apart by their own bytes."""

from __future__ import annotations

from assay.devices.recorder.loaded_modules import LEAST_BYTES, digest, function_codes
from devices.cubins import cubin

LONG = bytes(range(256)) * (LEAST_BYTES // 256)
OTHER = LONG[::-1]


def test_the_code_of_a_function_does_not_depend_on_its_name_or_its_neighbours() -> None:
    vendor = function_codes(cubin({"sgemm_128x64": LONG, "other": OTHER}))
    copied = function_codes(cubin({"my_kernel": LONG}))
    assert copied == {"my_kernel": vendor["sgemm_128x64"]} == {"my_kernel": digest(LONG)}
    assert vendor["other"] != vendor["sgemm_128x64"]


def test_one_changed_byte_makes_other_code() -> None:
    changed = function_codes(cubin({"f": LONG[:-1] + b"\0"}))
    assert changed["f"] != digest(LONG)


def test_a_short_function_is_nobodys() -> None:
    assert function_codes(cubin({"f": LONG[:-1]})) == {}


def test_what_is_no_cubin_holds_no_functions() -> None:
    whole = cubin({"f": LONG})
    for text in (b"", b"\x7fELF\x02", b".version 8.0", whole[:80], whole[: len(whole) - 70]):
        assert function_codes(text) == {}
