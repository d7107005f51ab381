"""The line of a build's log that a verdict quotes."""

from __future__ import annotations

import pytest

from assay.languages.failure_line import failure_line, last_words

_TRACE = 'Traceback (most recent call last):\n  File "k.py", line 2, in <module>\n    f()\n'
_WARNED = "/lib/m.py:9: UserWarning: no devices\n  count = devices()\n"
_NUMBA = """numba.core.errors.TypingError: Failed in nopython mode pipeline (step: lowering)
Failed in full_parfor_gufunc mode pipeline (step: nopython frontend)
No implementation of function Function(<built-in function getitem>) found

During: typing of intrinsic-call at kernel.py (11)
During: Pass native_parfor_lowering
"""
_GCC = """RuntimeError: the compiler refused the source:
./kernel.cpp: In function 'forward':
kernel.cpp:3:7: error: 'bar' was not declared in this scope
    3 |   foo(bar)
      |       ^~~
kernel.cpp:5:1: warning: no return statement
    5 | }
      | ^
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", "no message"),
        ("one\ntwo\n", "two"),
        (
            '  File "k.py", line 1\n    def (\n        ^\nSyntaxError: invalid syntax',
            "SyntaxError: invalid syntax",
        ),
        (
            '  File "k.py", line 1\n    x y\n      ^\nSyntaxError: invalid syntax\n' + _WARNED,
            "SyntaxError: invalid syntax",
        ),
        (
            "a long line of which the first part was cut\nSyntaxError: bad\n" + _WARNED,
            "SyntaxError: bad",
        ),
        (_WARNED, "count = devices()"),
        (_TRACE + _GCC, "kernel.cpp:3:7: error: 'bar' was not declared in this scope"),
        (_TRACE + "ValueError: first\n\n  second\nthird", "ValueError: first second"),
        (
            _TRACE + 'k.cu(3): error: identifier "x" is undefined\n1 error detected',
            'k.cu(3): error: identifier "x" is undefined',
        ),
        (
            _TRACE + "k.o: undefined reference to `f'\ncollect2: error: ld returned 1 exit status",
            "k.o: undefined reference to `f'",
        ),
        (
            _NUMBA,
            "numba.core.errors.TypingError: Failed in nopython mode pipeline (step: lowering) "
            "No implementation of function Function(<built-in function getitem>) found",
        ),
    ],
)
def test_the_first_error_or_the_exception_is_quoted(text: str, line: str) -> None:
    assert failure_line(text) == line


_THROWN = """terminate called after throwing an instance of 'c10::Error'
  what():  CUDA error: misaligned address
Exception raised from create_event_internal (most recent call first):
frame #0: c10::Error::Error(c10::SourceLocation, std::string)
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("one\ntwo\nthree\n", "two three"),
        (
            "early\n" + _THROWN + _WARNED,
            "terminate called after throwing an instance of 'c10::Error' "
            "what():  CUDA error: misaligned address",
        ),
        (
            "k: k.cpp:3: f: Assertion `n > 0' failed.\n" + _WARNED,
            "k: k.cpp:3: f: Assertion `n > 0' failed.",
        ),
        ("RuntimeError: misaligned address\n" + _WARNED, "RuntimeError: misaligned address"),
    ],
)
def test_of_a_process_that_ended_it_is_told_what_its_runtime_said(text: str, words: str) -> None:
    assert last_words(text) == words
