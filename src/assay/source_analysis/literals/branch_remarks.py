"""Branch remarks: which sizes and numbers of calls a candidate's source compares with.

The rule: a remark is no reason. A fast path for one width is honest where it is right; the calls
that were drawn for it say whether it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral

_MOST = 8
_LEAST = 17  # smaller numbers are ranks, tiles and remainders of vectors


def branch_remarks(literals: Sequence[SourceLiteral]) -> tuple[Evidence, ...]:
    """One note for each of the first numbers that a size or a counter is compared with."""
    told = [one for one in literals if one.is_integer and abs(one.value) >= _LEAST]
    told = [one for one in told if one.use in _SAID]
    return tuple(
        Evidence(kind=EvidenceKind.BRANCH, severity=Severity.NOTE, where=one.where, text=_text(one))
        for one in told[:_MOST]
    )


_SAID = {
    LiteralUse.COUNTER: "compares a number that is kept and changed{other} with {value}",
    LiteralUse.COMPARED: "branches on a size or value{other} of {value}",
    LiteralUse.MODULUS: "branches on the remainder of a division{other} by {value}",
}


def _text(literal: SourceLiteral) -> str:
    other = f", `{literal.other}`," if literal.other else ""
    return _SAID[literal.use].format(other=other, value=int(literal.value))
