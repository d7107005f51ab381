"""ComposedFile: a composition as the text of a task file in KernelBench format.

The rule: the file says how it was made, so that `assay synthesise` with that seed makes it again.
"""

from __future__ import annotations

from assay import __version__
from assay.tasks.synthesis.composition import Composition

_CASTS = {"float32": "", "float16": ".to(torch.float16)", "bfloat16": ".to(torch.bfloat16)"}
MARK = "Chain: "  # before the line by which files are told apart


def composed_text(made: Composition) -> str:
    """The whole file."""
    names = ", ".join(made.inputs)
    head = (
        f'"""A synthetic task: {", then ".join(made.natives)}; {made.dtype}.\n\n'
        f"Made by `assay synthesise --seed {made.seed}` of Assay {__version__}, composition"
        f" {made.number},\nfrom operators of the native suite: {', '.join(made.natives)}.\n"
        '"""\n\n'
        f"# {MARK}{made.chain}\n\n"
        "import torch\nfrom torch.nn import functional as F\n\n"
    )
    sizes = "".join(f"{name} = {size}\n" for name, size in made.sizes.items())
    body = "".join(f"        x = {step}\n" for step in made.steps)
    model = (
        "\n\nclass Model(torch.nn.Module):\n"
        f'    """{_title(made)}"""\n\n{_constructor(made)}'
        f"    def forward(self, {names}):\n{body}        return x\n"
    )
    cast = _CASTS[made.dtype]
    draws = "".join(
        f"        ({draw}){cast},\n" if cast else f"        {draw},\n"
        for draw in made.inputs.values()
    )
    inputs = f"\n\ndef get_inputs():\n    return [\n{draws}    ]\n"
    given = "inner, cols" if made.layer else ""
    return head + sizes + model + inputs + f"\n\ndef get_init_inputs():\n    return [{given}]\n"


def _title(made: Composition) -> str:
    return f"{', then '.join(made.natives)}, in {made.dtype}."


def _constructor(made: Composition) -> str:
    if not made.layer:
        return ""
    return (
        "    def __init__(self, inner, cols):\n        super().__init__()\n"
        f"        self.layer = {made.layer}\n\n"
    )


def chain_in(text: str) -> str | None:
    """The chain of a file that was made here; None for any other text."""
    for line in text.splitlines():
        if line.startswith(f"# {MARK}"):
            return line.removeprefix(f"# {MARK}")
    return None
