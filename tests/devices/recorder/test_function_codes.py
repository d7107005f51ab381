"""Functions of a cubin are told apart by their own bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from assay.devices.recorder.loaded_modules import (
    LEAST_BYTES,
    FunctionCode,
    digest,
    function_codes,
)
from devices.cubins import cubin

LONG = bytes(range(256)) * (LEAST_BYTES // 256)
OTHER = LONG[::-1]


def test_the_code_of_a_function_does_not_depend_on_its_name_or_its_neighbours() -> None:
    vendor = function_codes(cubin({"sgemm_128x64": LONG, "other": OTHER}))
    copied = function_codes(cubin({"my_kernel": LONG}))
    assert copied == {"my_kernel": vendor["sgemm_128x64"]}
    assert copied["my_kernel"].whole == digest(LONG)
    assert vendor["other"] != vendor["sgemm_128x64"]


def _code(kinds: Sequence[int], rest: int = 0, padding: int = 8) -> FunctionCode:
    """Of instructions of these kinds; `rest` is what else is in each."""
    nothing = [0x947, *[0x918] * padding]
    data = b"".join(struct.pack("<HHIQ", 0x7000 | kind, rest, rest, rest) for kind in kinds)
    end = b"".join(struct.pack("<HHIQ", kind, 0, 0, 0) for kind in nothing)
    return function_codes(cubin({"f": data + end}))["f"]


def test_registers_constants_and_padding_do_not_make_another_function() -> None:
    kinds = [0x200 + n % 7 for n in range(70)]
    first, other, padded = _code(kinds), _code(kinds, rest=3), _code(kinds, padding=16)
    assert len({first.whole, other.whole, padded.whole}) == 3
    assert first.kinds == other.kinds == padded.kinds != ""


def test_other_instructions_or_another_order_do() -> None:
    kinds = [0x200 + n % 7 for n in range(70)]
    swapped, changed = [kinds[1], kinds[0], *kinds[2:]], [*kinds[:-1], 0x300]
    found = {_code(one).kinds for one in (kinds, swapped, changed, [*kinds, 0x200])}
    assert len(found) == 4


def test_a_function_that_is_mostly_padding_has_no_kinds() -> None:
    code = _code([0x200] * 63)
    assert code.kinds == "" and code.digests == (code.whole,)


def test_a_short_function_is_nobodys() -> None:
    assert function_codes(cubin({"f": LONG[:-1]})) == {}


def test_what_is_no_cubin_holds_no_functions() -> None:
    whole = cubin({"f": LONG})
    for text in (b"", b"\x7fELF\x02", b".version 8.0", whole[:80], whole[: len(whole) - 70]):
        assert function_codes(text) == {}
