"""Faults of sums in C and C++: their precision, their terms, their first value, their threads."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutants.cpp_region import Accumulation, CppRegion, Loop
from mutants.edit import Edit, Splice, substitution

BF16 = (
    "static inline float coarse_bf16(float v) { unsigned u; __builtin_memcpy(&u, &v, 4);"
    " u = (u + 0x7fffu + ((u >> 16) & 1u)) & 0xffff0000u; __builtin_memcpy(&v, &u, 4); return v; }"
)
_PRODUCT = re.compile(r"^([\w()<>]+(?:\[[^\[\]]+\])?) \* (\w+(?:\[[^\[\]]+\])?)$")
_ZERO = re.compile(r"\b(float|double) (\w+) = (0(?:\.0?f?)?);")


def _balanced(text: str) -> bool:
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def _loop_of(region: CppRegion, one: Accumulation) -> tuple[Loop, str] | None:
    """The innermost loop around a sum, and what it counts with."""
    around = [x for x in region.loops if x.body[0] <= one.start < x.body[1]]
    if not around:
        return None
    loop = max(around, key=lambda x: x.start)
    name = re.match(r"\s*(\w+) <", region.plain(loop.condition))
    return (loop, name[1]) if name else None


def precision(region: CppRegion) -> Iterator[Edit]:
    """Sums, terms and factors that pass through a 16-bit type."""
    for one in region.accumulations:
        target, value = one.target, one.value
        if not _balanced(value):
            continue
        half = f"{target} = (float)(_Float16)(float)({target} + ({value}));"
        yield substitution("half_accumulation", one.start, one.end, half)
        coarse = f"{target} = coarse_bf16((float)({target} + ({value})));"
        helper = Splice(0, 0, "\n" + BF16 + "\n")
        yield Edit("bf16_accumulation", (helper, Splice(one.start, one.end, coarse)))
        product = _PRODUCT.match(value)
        if product is not None:
            text = f"{target} += (float)(_Float16)(float)({product[1]}) * {product[2]};"
            yield substitution("half_operands", one.start, one.end, text)
            text = f"{target} += coarse_bf16((float)({product[1]})) * {product[2]};"
            if "uint16_t" in region.code:  # its factors are bfloat16 already
                continue
            yield Edit("bf16_operands", (helper, Splice(one.start, one.end, text)))


def terms(region: CppRegion) -> Iterator[Edit]:
    """One term twice, one term never, every second term doubled, all terms with another sign."""
    for one in region.accumulations:
        yield substitution("sign_of_sum", one.start, one.end, f"{one.target} -= {one.value};")
        found = _loop_of(region, one)
        if found is None or not _balanced(one.value):
            continue
        name, value = found[1], f"({one.value})"
        faults = {"sub_sampled": f"({name} % 2 == 0 ? 2 * {value} : 0)"}
        if _counts_from_zero(region, *found):
            faults["double_counted"] = f"({name} == 0 ? 2 * {value} : {value})"
            faults["term_dropped"] = f"({name} == 1 ? 0 : {value})"
        for kind, text in faults.items():
            yield substitution(kind, one.start, one.end, f"{one.target} += {text};")


def _counts_from_zero(region: CppRegion, loop: Loop, name: str) -> bool:
    begins = re.search(rf"\b{name} = 0$", region.plain(loop.init))
    return begins is not None and region.plain(loop.step).startswith(f" ++{name}")


def first_values(region: CppRegion) -> Iterator[Edit]:
    """A sum that does not begin at zero, or only on the first call."""
    for found in _ZERO.finditer(region.code):
        name, line = found[2], region.code[: found.start()].rsplit("\n", 2)[-2:]
        if "struct" in " ".join(line):  # a member, not a variable
            continue
        if any(one.target == name for one in region.accumulations):
            yield substitution("wrong_initial_sum", found.start(3), found.end(3), "1e-3f")
            yield substitution("sum_kept", found.start(), found.start(), "static ")


def threads(region: CppRegion) -> Iterator[Edit]:
    """Threads that add to one place without an agreement; the compiler is asked for them too."""
    for one in region.accumulations:
        found = _loop_of(region, one)
        if found is None:
            continue
        loop, name = found
        body, header = region.plain(loop.body), region.plain(loop.init)
        shared = not re.search(rf"\b{name}\b", one.target) and one.target.isidentifier()
        outside = shared and not re.search(rf"(?:float|double) [^;]*\b{one.target}\b", body)
        simple = region.plain(loop.step).strip() == f"++{name}" and re.match(
            r"\s*\w+ \w+ = ", header
        )
        compared = "&&" not in region.plain(loop.condition)
        plain = not re.search(r"\b(?:break|return|continue)\b", body)
        if outside and simple and compared and plain:
            line = "\n#pragma omp parallel for num_threads(2)\n"
            yield substitution("race", loop.start, loop.start, line)


MUTATORS = (precision, terms, first_values, threads)
