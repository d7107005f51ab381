"""The same mistake has the same signature, wherever and on whatever it happens."""

from __future__ import annotations

import pytest

from assay.data.candidate import ClaimedResult
from assay.data.verdict import Status
from assay.scores.pairs.error_signature import normalised, of_claim, of_verdict, signature
from sample_records import WRONG, verdict

TRACE = 'Traceback (most recent call last):\n  File "{}", line {}, in run\n    x[{}]\n{}\n'


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("IndexError: index 7 is out of bounds", "IndexError: index 128 is out of bounds"),
        ("got [1, 2.5, -3e-7]", "got [4]"),
        ("name 'foo' is not defined", 'name "bar" is not defined'),
        ("at 0x7f001234 in /tmp/a/b.py:12", "at 0xdead in /var/c.py:9"),
        ("shapes (3, 4) and (5,)", "shapes (1,) and (2, 2, 2)"),
    ],
)
def test_what_is_incidental_is_replaced(first: str, second: str) -> None:
    assert normalised(first) == normalised(second)


def test_different_mistakes_stay_apart() -> None:
    assert normalised("IndexError: index 7") != normalised("ValueError: index 7")
    assert signature("crashed", "x").id != signature("timed_out", "x").id
    assert normalised("uint8 tensor") != normalised("float16 tensor")


def test_of_a_traceback_the_last_exception_counts() -> None:
    one = TRACE.format("/a/b.py", 3, 9, "KeyError: 'a'")
    two = one + "During handling\n" + TRACE.format("/c.py", 30, 1, "torch.OutOfMemoryError: 3 GiB")
    assert normalised(one) == "KeyError: <name>"
    assert normalised(two) == "torch.OutOfMemoryError: <n> GiB"


def test_a_warning_is_no_error() -> None:
    text = "/x/y.py:3: UserWarning: old driver\n  module = load()\n"
    assert normalised(text) == ""
    assert normalised(text + "result differs at 3\n") == "result differs at <n>"


def test_a_verdict_is_signed_by_what_convicts() -> None:
    found = of_verdict(verdict(Status.INCORRECT, evidence=(WRONG,)))
    assert found is not None and found.stage == "incorrect/wrong_value"
    assert found.words == "got <n>, expected <n>" and found.text == "got 0, expected 1"
    plain = of_verdict(verdict(Status.TIMED_OUT))
    assert plain is not None and plain.stage == "timed_out" and plain.words
    assert of_verdict(verdict(Status.ACCEPTED)) is None


def test_a_claim_is_signed_where_it_says_that_something_failed() -> None:
    failed = of_claim(ClaimedResult(source="s", ran=False, error="ValueError: 3"))
    wrong = of_claim(ClaimedResult(source="s", ran=True, correct=False))
    assert failed is not None and failed.stage == "claimed/did_not_run"
    assert wrong is not None and wrong.stage == "claimed/wrong_result"
    assert of_claim(ClaimedResult(source="s", ran=True)) is None
    assert of_claim(ClaimedResult(source="s")) is None
