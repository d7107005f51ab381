"""Positions: where the nodes of a Python syntax tree stand in the text."""

from __future__ import annotations

import ast
from itertools import accumulate


class Positions:
    """Turns the tree's lines and byte columns into characters of the text."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        self._starts = [0, *accumulate(len(line) for line in self._lines)]

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """The first character of a node and the one after its last."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._place(node.lineno, node.col_offset)
        return start, self._place(node.end_lineno, node.end_col_offset)

    def _place(self, line: int, column: int) -> int:
        before = self._lines[line - 1].encode()[:column].decode()
        return self._starts[line - 1] + len(before)
