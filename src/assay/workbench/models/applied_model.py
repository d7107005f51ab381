"""AppliedModel: a model's file with kernels in the places of its operations, as one candidate.

The file holds the model as it was, every kernel under a prefix of its own, and `ModelNew`: the
model's class with another forward. In training mode the model's own forward runs, because kernels
were cut out of, and judged for, inference; so it does where the model is made with other arguments
than those it was profiled with, because constants of the flattened forward follow from them.

The rule: text in, text out; nothing is run here. A statement that a kernel replaces is gone, and
every other stands after what it uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.errors import UsageError
from assay.workbench.models.hot_report import ForwardCode, HotGroup
from assay.workbench.models.joined_sources import JoinedSources

ENTRY = "ModelNew"
_OF_THE_JUDGE = ("AXES", "TAGS", "CONTRACT", "BACKWARD", "CONTIGUOUS_INPUTS", "RELATIONS", "Vendor")
_DRAWS = ("get_inputs", "get_init_inputs")


@dataclass(frozen=True)
class Replacement:
    """A group of the report and the source of the kernel that takes its place."""

    group: HotGroup
    kernel: str


def applied_text(
    source: str, entry: str, forward: ForwardCode, replacements: Sequence[Replacement]
) -> str:
    """The candidate's file."""
    if not forward.made_with:
        raise UsageError("hot.json does not say what the model was made with: run assay hot again")
    joined = JoinedSources()
    joined.add(
        "import math\nimport operator\nimport torch\n" + source, "", (*_OF_THE_JUDGE, *_DRAWS)
    )
    for number, one in enumerate(replacements):
        joined.add(one.kernel, f"k{number}_", _DRAWS)
    lines = _forward_lines(forward, replacements)
    kernels = [
        f"        self.kernel_{number} = k{number}_{ENTRY}()" for number in range(len(replacements))
    ]
    arguments = ", ".join(["self", *forward.arguments])
    names = ", ".join(one.partition("=")[0] for one in forward.arguments)
    labels = ", ".join(one.group.label for one in replacements)
    made = [
        f"class {ENTRY}({entry}):",
        f'    """{entry} with kernels for: {labels}."""',
        "",
        "    def __init__(self, *args, **kwargs):",
        "        super().__init__(*args, **kwargs)",
        f"        self.as_profiled = list(args) == {forward.made_with} and not kwargs",
        *kernels,
        "",
        f"    def forward({arguments}):",
        "        if self.training or not self.as_profiled:",
        f"            return super().forward({names})",
        *(f"        {line}" for line in lines),
    ]
    return joined.text() + "\n\n" + "\n".join(made) + "\n"


def _forward_lines(forward: ForwardCode, replacements: Sequence[Replacement]) -> list[str]:
    """The statements in an order in which everything is made before it is used."""
    replaced = {
        name for one in replacements for place in one.group.occurrences for name in place.nodes
    }
    statements = [one for one in forward.statements if one.makes not in replaced]
    calls = [
        _ForwardLine(
            f"self.kernel_{number}({', '.join(place.inputs)})", place.outputs, place.inputs
        )
        for number, one in enumerate(replacements)
        for place in one.group.occurrences
    ]
    first = {one.makes: place for place, one in enumerate(forward.statements)}
    units = [_ForwardLine(one.text, (one.makes,), one.uses) for one in statements] + calls
    units.sort(key=lambda unit: min(first[name] for name in unit.makes))
    given = {one.partition("=")[0] for one in forward.arguments}
    ordered, known = list[_ForwardLine](), set(given)
    waiting = units
    while waiting:
        ready = next((one for one in waiting if set(one.uses) <= known), None)
        if ready is None:
            missing = sorted({name for one in waiting for name in one.uses} - known)
            raise UsageError(f"the forward cannot be put in order: {', '.join(missing[:4])}")
        ordered.append(ready)
        known |= set(ready.makes)
        waiting = [one for one in waiting if one is not ready]
    return [*_releasing(ordered, set(forward.result_uses)), f"return {forward.result}"]


def _releasing(ordered: Sequence[_ForwardLine], kept: set[str]) -> Iterator[str]:
    """Every line, and after the last use of a value the release of it.

    The model's own forward frees a value with the function that made it. A flat one that kept them
    all would write every result to memory that no cache holds.
    """
    last = dict[str, int]()
    for place, one in enumerate(ordered):
        last |= dict.fromkeys((*one.uses, *one.makes), place)
    for place, one in enumerate(ordered):
        yield f"{', '.join(one.makes)} = {one.text}"
        done = [name for name, end in last.items() if end == place and name not in kept]
        if done:
            yield f"del {', '.join(done)}"


@dataclass(frozen=True)
class _ForwardLine:
    """A line of the forward: what it makes, and of what."""

    text: str
    makes: tuple[str, ...]
    uses: tuple[str, ...]
