"""Python trees: what a Python text says, whichever thread asks.

The rule: one text at a time. Python 3.11 counts how deep a tree is in one number for all threads: a
garbage collection that runs Python code lets another thread in, and `ast.parse` raises SystemError
("AST constructor recursion depth mismatch") in one of the two. Who does not ask here may still be
that other thread, so a text is read once more before the failure is believed.
"""

from __future__ import annotations

import ast
import os
import threading
from typing import Any

_one_text = threading.RLock()


def module_tree(text: str, name: str = "<unknown>") -> ast.Module:
    """The statements of a text; SyntaxError, ValueError or RecursionError where it has none."""
    tree: ast.Module = _parsed(text, name, "exec")
    return tree


def expression_tree(text: str) -> ast.Expression:
    """The one expression of a text."""
    tree: ast.Expression = _parsed(text, "<unknown>", "eval")
    return tree


def _parsed(text: str, name: str, mode: str) -> Any:
    with _one_text:
        try:
            return ast.parse(text, name, mode)
        except SystemError:
            return ast.parse(text, name, mode)


def _unlock() -> None:
    """In a forked copy the thread that reads is not there."""
    global _one_text
    _one_text = threading.RLock()


os.register_at_fork(after_in_child=_unlock)
