"""What the child says crosses in fixed structs, and no garbage raises."""

from __future__ import annotations

import random

import pytest

from assay.sandbox.protocol.replies import (
    DTYPES,
    MAX_DIMS,
    CallCode,
    CallRecord,
    OutputFlag,
    OutputHeader,
    Reply,
)

FLAGS = OutputFlag.TENSOR | OutputFlag.EXACT_TYPE | OutputFlag.FITS


def test_reply_round_trip() -> None:
    reply = Reply(7, 1, 3)
    assert Reply.unpack(reply.pack()) == reply


@pytest.mark.parametrize("cut", [0, 1, 15])
def test_a_short_reply_is_none(cut: int) -> None:
    assert Reply.unpack(Reply(1, 0, 0).pack()[:cut]) is None


def test_a_long_or_foreign_reply_is_none() -> None:
    data = Reply(1, 0, 0).pack()
    assert Reply.unpack(data + b"x") is None
    assert Reply.unpack(b"NONE" + data[4:]) is None


def test_record_round_trip_with_text() -> None:
    record = CallRecord(CallCode.RAISED, 2, 123_456_789_012, "ValueError: größer\nzwei")
    assert CallRecord.unpack(record.pack().ljust(CallRecord.size(), b"\xff")) == record


def test_a_long_message_is_cut_and_fits_its_slot() -> None:
    data = CallRecord(CallCode.RAISED, 0, 0, "é" * 5000).pack()
    assert len(data) <= CallRecord.size()
    found = CallRecord.unpack(data)
    assert found is not None and found.message.startswith("ééé")


def test_a_record_may_lie_about_its_length_only_within_its_slot() -> None:
    head = CallRecord.FORMAT.pack(CallRecord.MAGIC, 1, 1, 0, 2**32 - 1)
    found = CallRecord.unpack(head.ljust(CallRecord.size(), b"a") + b"SECRET")
    assert found is not None
    assert len(found.message) <= CallRecord.MESSAGE_BYTES and "SECRET" not in found.message


def test_untouched_poison_is_no_record_and_no_header() -> None:
    assert CallRecord.unpack(b"\xff" * CallRecord.size()) is None
    assert OutputHeader.unpack(b"\xff" * OutputHeader.BYTES) is None


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3, 5), (1,) * MAX_DIMS, (2**40, 0)])
def test_header_round_trip(dtype: str, shape: tuple[int, ...]) -> None:
    header = OutputHeader(dtype, shape, FLAGS, 240)
    assert len(header.pack()) <= OutputHeader.BYTES
    assert OutputHeader.unpack(header.pack().ljust(OutputHeader.BYTES, b"\xff")) == header


def test_a_dtype_the_protocol_does_not_know_stays_unknown() -> None:
    found = OutputHeader.unpack(OutputHeader("complex32", (2,), FLAGS, 8).pack())
    assert found is not None and found.dtype == "unknown"


def test_more_dimensions_than_fit_are_never_read_as_fewer() -> None:
    """A ninth dimension of one must not make the result look like the eight it should have."""
    eight = (2,) * MAX_DIMS
    found = OutputHeader.unpack(OutputHeader("float32", (*eight, 1), FLAGS, 1024).pack())
    assert found is None or found.shape != eight


def test_garbage_never_raises() -> None:
    rng = random.Random(5)
    for _ in range(2000):
        data = rng.randbytes(CallRecord.size())
        for magic in (b"", b"CALL", b"OUTP", b"DONE"):
            noise = magic + data[len(magic) :]
            CallRecord.unpack(noise)
            Reply.unpack(noise[: Reply.FORMAT.size])
            header = OutputHeader.unpack(noise[: OutputHeader.BYTES])
            assert header is None or len(header.shape) <= MAX_DIMS
