"""The tables of the interpreter: what has no rule is left out on purpose."""

from __future__ import annotations

import ast
from typing import get_args

from assay.source_analysis.interpreter.values import Constant, Outline, Ref
from assay.source_analysis.interpreter.whole_candidate import SEMANTICS

WITHOUT_EFFECT = {ast.Pass, getattr(ast, "TypeAlias", ast.Pass)}
ANY_OF_THEIR_PARTS = {ast.Await, ast.FormattedValue, ast.Slice, ast.Starred}


def _concrete(base: type[ast.AST]) -> set[type[ast.AST]]:
    old = {"Num", "Str", "Bytes", "NameConstant", "Ellipsis", "Index", "ExtSlice", "Suite"}
    found = {kind for kind in base.__subclasses__() if kind.__name__ not in old}
    return {kind for kind in found if not kind.__name__.startswith(("Template", "Interpolation"))}


def test_every_statement_has_a_rule() -> None:
    assert _concrete(ast.stmt) - set(SEMANTICS.statements) == WITHOUT_EFFECT


def test_every_expression_has_a_rule_or_is_the_union_of_its_parts() -> None:
    assert _concrete(ast.expr) - set(SEMANTICS.expressions) == ANY_OF_THEIR_PARTS


def test_everything_a_value_may_be_has_a_rule_for_calls_except_constants() -> None:
    assert set(get_args(Ref)) - set(SEMANTICS.calls) == {Constant, Outline}
