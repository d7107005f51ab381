"""Texts are read one at a time, and again after somebody else's text came between."""

from __future__ import annotations

import ast
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from assay import python_tree
from assay.python_tree import expression_tree, module_tree

NESTED = "x = " + "[" * 40 + "1" + "]" * 40 + "\n"
TEXT = "".join(f"def f{n}(a, b):\n    return (a + b) * {n}\n" for n in range(60)) + NESTED


@contextmanager
def collections_that_let_others_in() -> Iterator[None]:
    """Garbage is collected all the time, with Python code in which threads take turns."""

    def turn(*_: object) -> None:
        for _ in range(300):
            pass

    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.callbacks.append(turn)
    gc.set_threshold(20)
    sys.setswitchinterval(1e-5)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*threshold)
        gc.callbacks.remove(turn)


def failures_of(read: Callable[[str], object], threads: int = 4, times: int = 40) -> int:
    """Of so many readings in so many threads."""

    def reading(_: int) -> int:
        failed = 0
        for _ in range(times):
            try:
                read(TEXT)
            except SystemError:
                failed += 1
        return failed

    with collections_that_let_others_in(), ThreadPoolExecutor(threads) as pool:
        return sum(pool.map(reading, range(threads)))


def test_any_number_of_threads_may_read() -> None:
    assert failures_of(module_tree) == 0


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="what Python 3.12 mended")
def test_without_it_threads_disturb_each_other() -> None:
    assert any(failures_of(ast.parse) for _ in range(20))


def test_a_text_that_failed_for_another_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, calls = ast.parse, []

    def disturbed(*given: str) -> ast.AST:
        calls.append(given)
        if len(calls) == 1:
            raise SystemError("AST constructor recursion depth mismatch (before=42, after=37)")
        return whole(*given)

    monkeypatch.setattr(python_tree.ast, "parse", disturbed)
    assert isinstance(module_tree("x = 1").body[0], ast.Assign)
    assert len(calls) == 2


def test_what_is_no_python_says_so() -> None:
    with pytest.raises(SyntaxError):
        module_tree("x = (")
    assert isinstance(expression_tree("a + b").body, ast.BinOp)


def test_a_forked_copy_reads_while_a_thread_of_the_other_held_on() -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with python_tree._one_text:
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        module_tree("x = 1")
        os._exit(7)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
