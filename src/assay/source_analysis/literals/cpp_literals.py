"""Literals of C++ and CUDA text.

The rule: as in Python, names of constants are followed and expressions of numbers are worked out.
A static or global variable that is counted up is a counter; a loop's own variable is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.source_analysis.cpp.cpp_tokens import Token, tokenize
from assay.source_analysis.literals.constant_folding import folded, number_of
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral

_EQUAL = frozenset(("==", "!="))
_ORDER = frozenset(("<", ">", "<=", ">="))
_ARITHMETIC = frozenset("+-*/%()") | {"<<"}
_DIVIDES = frozenset(("/", "&", ">>", "^", "/=", "&="))
_KEPT = frozenset(("static", "atomic", "thread_local", "__device__", "atomic_int", "atomic_long"))
_COUNTS = frozenset(("++", "--", "+=", "fetch_add", "exchange"))
_ENDS = frozenset(";{}")
_LIMITS = frozenset(("min", "max", "fminf", "fmaxf", "fmin", "fmax", "clamp"))
_DECIDING = frozenset(("if", "while", "for")) | _LIMITS
_ROUNDS = 2
_LONGEST = 16  # tokens of a constant expression
_NO_TYPES = frozenset(("return", "case", "else", "delete", "new"))


@dataclass(frozen=True)
class _CppText:
    """The tokens of a text, and what its names stand for."""

    tokens: list[Token]
    names: dict[str, float]
    counted: frozenset[str]

    def text(self, index: int) -> str:
        return self.tokens[index].text if 0 <= index < len(self.tokens) else ""

    def value(self, index: int) -> float | None:
        """The number that a token is, or that its name stands for."""
        if not 0 <= index < len(self.tokens):
            return None
        token = self.tokens[index]
        if token.kind == "number":
            return number_of(token.text)
        return self.names.get(token.text) if token.kind == "word" else None


def cpp_literals(text: str, path: str, first_line: int = 1) -> Iterator[SourceLiteral]:
    """Every number of a text, with its use; some several times."""
    tokens = tokenize(text)
    unit = _CppText(tokens, _constants(tokens), _counted(tokens))
    conditions = _conditions(tokens)
    for index, token in enumerate(tokens):
        where = f"{path}:{first_line + token.line - 1}"
        for start, value in _values_at(unit, index):
            yield _literal(unit, (start, index), value, conditions[index], where)


def _values_at(unit: _CppText, index: int) -> Iterator[tuple[int, float]]:
    """The number that ends here, and the expression of numbers that does, with their starts."""
    value = unit.value(index)
    if value is None and unit.text(index) != ")":
        return
    if value is not None:
        yield index, value
    found = _expression(unit, index)
    if found is not None:
        yield found


def _expression(unit: _CppText, end: int) -> tuple[int, float] | None:
    """The longest expression of numbers that ends with a token, where it is one."""
    start, parts = end, list[str]()
    while start >= 0 and end - start < _LONGEST:
        value, text = unit.value(start), unit.text(start)
        if value is None and text not in _ARITHMETIC:
            break
        parts.append(repr(value) if value is not None else text)
        start -= 1
    while len(parts) > 1:  # the start may be an operator of what stands before
        if parts[-1] in ("-", "+"):
            parts.pop()
            continue
        value = folded("".join(reversed(parts)))
        if value is not None:
            first = end - len(parts) + 1
            return (first, value) if len(parts) > 2 else None
        parts.pop()
    return None


def _constants(tokens: list[Token]) -> dict[str, float]:
    """Names that are given one number: constants, enumerators, macros."""
    names: dict[str, float] = {}
    several: set[str] = set()
    unit = _CppText(tokens, names, frozenset())
    for index, token in enumerate(tokens):
        if token.kind != "word":
            continue
        if unit.text(index + 1) == "=":
            end = _end_of_value(unit, index + 2, None)
            value = _whole(unit, index + 2, end)
            if token.text in names or value is None:
                several.add(token.text)
            elif value is not None:
                names[token.text] = value
        elif unit.text(index - 1) == "define":
            value = _whole(unit, index + 1, _end_of_value(unit, index + 1, token.line))
            if value is not None:
                names[token.text] = value
        elif unit.text(index + 1) in _COUNTS or unit.text(index - 1) in ("++", "--"):
            several.add(token.text)
    return {name: value for name, value in names.items() if name not in several}


def _end_of_value(unit: _CppText, start: int, line: int | None) -> int:
    end = start
    while end < len(unit.tokens) and unit.text(end) not in (";", ",", "}"):
        if line is not None and unit.tokens[end].line != line:
            break
        end += 1
    return end


def _whole(unit: _CppText, start: int, end: int) -> float | None:
    """The number that all tokens of a range are together."""
    if not 0 < end - start <= _LONGEST:
        return None
    parts = []
    for index in range(start, end):
        value = unit.value(index)
        parts.append(repr(value) if value is not None else unit.text(index))
    return folded("".join(parts))


def _statements(tokens: list[Token]) -> Iterator[list[str]]:
    statement: list[str] = []
    for token in tokens:
        if token.text in _ENDS:
            yield statement
            statement = []
        else:
            statement.append(token.text)
    yield statement


def _counted(tokens: list[Token]) -> frozenset[str]:
    """Static and global variables that are counted up, and what is assigned from them."""
    kept, depth = set[str](), 0
    counts = set[str]()
    for index, token in enumerate(tokens):
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        if token.kind == "word" and _counts_up(tokens, index):
            counts.add(token.text)
        if token.kind == "word" and depth == 0 and index + 1 < len(tokens):
            kept |= {token.text} if tokens[index + 1].text in ("=", ";", "{") else set()
    statements = list(_statements(tokens))
    for statement in statements:
        if _KEPT & set(statement):
            kept |= set(statement)
    found = (counts | set(_made_of_themselves(statements))) & kept
    for _ in range(_ROUNDS):
        for statement in statements:
            if "=" in statement and "for" not in statement:
                place = statement.index("=")
                if place and found & set(statement[place:]):
                    found.add(statement[place - 1])
    return frozenset(found)


def _made_of_themselves(statements: list[list[str]]) -> Iterator[str]:
    """`n` of `n = same ? n + 1 : 0`."""
    for statement in statements:
        for place, text in enumerate(statement):
            if text == "=" and place and statement[place - 1] in statement[place + 1 :]:
                yield statement[place - 1]


def _counts_up(tokens: list[Token], index: int) -> bool:
    """`++n`, `n++`, `n += k` and `n.fetch_add(k)`."""
    before = tokens[index - 1].text if index else ""
    after = [token.text for token in tokens[index + 1 : index + 3]]
    member = len(after) > 1 and after[0] in (".", "->") and after[1] in _COUNTS
    return before in ("++", "--") or after[:1] in (["++"], ["--"], ["+="]) or member


def _conditions(tokens: list[Token]) -> list[str]:
    """For each token the word whose parentheses hold it: `if`, `for`, `min` or nothing."""
    inside: list[str] = []
    stack: list[str] = []
    for index, token in enumerate(tokens):
        if token.text == "(":
            called = _called(tokens, index)
            stack.append(called if called in _DECIDING else "")
        elif token.text == ")" and stack:
            stack.pop()
        inside.append(next((word for word in reversed(stack) if word), ""))
    return inside


def _called(tokens: list[Token], index: int) -> str:
    """The word before a parenthesis; `min` of `std::min<long>(`, too."""
    before = index - 1
    if before >= 0 and tokens[before].text == ">":
        while before >= 0 and tokens[before].text != "<" and index - before < _LONGEST:
            before -= 1
        before -= 1
    return tokens[before].text if before >= 0 else ""


def _literal(
    unit: _CppText, span: tuple[int, int], value: float, condition: str, where: str
) -> SourceLiteral:
    start, end = span
    before, after = unit.text(start - 1), unit.text(end + 1)
    while before == "-" or (before == "(" and after == ")"):
        start, end = start - 1, end + (before == "(")
        before, after = unit.text(start - 1), unit.text(end + 1)
    if before == "%":
        return _remainder(unit, start, end, value, where)
    use, other = LiteralUse.PLAIN, ""
    strict = before in _ORDER or _orders(unit, end)
    if {before, after} & _EQUAL or before == "case" or strict:
        use = LiteralUse.LOOP if condition == "for" and strict else LiteralUse.COMPARED
        other = _beside(unit, start, end)
    elif condition in ("if", "while"):
        use = LiteralUse.COMPARED
    elif condition in _LIMITS:
        use, strict = LiteralUse.COMPARED, True
    elif before in _DIVIDES:
        use = LiteralUse.DIVISOR
    elif before in ("{", ",") and after in (",", "}"):
        use = LiteralUse.TABLE
    elif before == "[" and after == "]" and _declares(unit, start - 2):
        use, strict = LiteralUse.BOUND, True
    if use is not LiteralUse.PLAIN and unit.counted & _statement(unit, start):
        use = LiteralUse.COUNTER
    return SourceLiteral(value, use, where, other, 0, strict)


def _declares(unit: _CppText, name: int) -> bool:
    """Whether a name before a bracket is that of a new array: its type stands before it."""
    if name < 1 or unit.tokens[name].kind != "word":
        return False
    kind = unit.tokens[name - 1]
    return kind.text in ("*", ">") or (kind.kind == "word" and kind.text not in _NO_TYPES)


def _orders(unit: _CppText, end: int) -> bool:
    """Whether a comparison of order follows, not the end of a template's arguments."""
    if unit.text(end + 1) not in _ORDER or end + 2 >= len(unit.tokens):
        return False
    return unit.tokens[end + 2].kind in ("word", "number") and unit.text(end - 1) not in (",", "<")


def _beside(unit: _CppText, start: int, end: int) -> str:
    """The name on the other side of a comparison."""
    index = start - 2 if unit.text(start - 1) in _EQUAL | _ORDER else end + 2
    while unit.text(index) in ("(", ")", "]", "["):
        index += -1 if index < start else 1
    return unit.text(index) if 0 <= index < len(unit.tokens) else ""


def _remainder(unit: _CppText, start: int, end: int, value: float, where: str) -> SourceLiteral:
    """`n % 37 == 5`: the modulus, and the remainder that is asked for."""
    other = unit.text(start - 2)
    if unit.counted & _statement(unit, start):
        return SourceLiteral(value, LiteralUse.COUNTER, where, other)
    after = end + 1
    while unit.text(after) == ")":
        after += 1
    asked = unit.value(after + 1) if unit.text(after) in _EQUAL else None
    residue = int(asked) if asked is not None and abs(asked) < 1e9 else 0
    return SourceLiteral(value, LiteralUse.MODULUS, where, other, residue)


def _statement(unit: _CppText, index: int) -> frozenset[str]:
    """The words of the statement in which a token stands."""
    first = last = index
    while first > 0 and unit.text(first - 1) not in _ENDS:
        first -= 1
    while last + 1 < len(unit.tokens) and unit.text(last + 1) not in _ENDS:
        last += 1
    return frozenset(token.text for token in unit.tokens[first : last + 1])
