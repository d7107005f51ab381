"""Results: what a generated module returns: every kind, every dtype, nested, none.

An input or a view of one is not among them: a result must be the kernel's own memory.
"""

from __future__ import annotations

from fuzzing.draft import Draft

LEAVES = {
    "same": "h",
    "sum": "h.float().sum()",
    "rows": "h.float().mean(-1)",
    "argmax": "h.argmax()",
    "bool": "h > 0",
    "int8": "(h * 8).clamp(-100, 100).to(torch.int8)",
    "uint8": "(h.abs() * 8).clamp(0, 200).to(torch.uint8)",
    "int32": "(h * 8).clamp(-100, 100).to(torch.int32)",
    "int64": "(h * 8).clamp(-100, 100).round().to(torch.int64)",
    "float16": "h.clamp(-100, 100).to(torch.float16)",
    "bfloat16": "h.to(torch.bfloat16)",
    "float64": "h.double() * 3",
    "complex64": "torch.complex(h.float(), -h.float())",
    "empty": "h.reshape(-1)[:0]",
    "transposed": "(h * 2).reshape(1, -1).transpose(0, 1)",
    "expanded": "h.float().sum().expand(3)",
    "part": "(h * 3).reshape(-1)[1:]",
    "python_int": "h.dim()",
    "python_float": "0.5",
    "python_bool": "True",
    "none": "None",
    "sorted": "h.reshape(-1).sort()",
}
FORMS = ("one", "tuple", "list", "dict", "nested", "dataclass", "nothing")


def add_result(draft: Draft) -> None:
    """The return statement."""
    form = draft.chance.choices(FORMS, (6, 5, 2, 3, 3, 1, 1))[0]
    if form == "nothing" and not _updates(draft):
        form = "one"
    draft.has(f"result:{form}")
    leaves = [_leaf(draft) for _ in range(1 if form == "one" else draft.chance.choice((1, 2, 3)))]
    if form not in ("one", "nothing"):
        leaves[0] = "h * 1"  # at least one tensor
    elif leaves[0] in ("None", "0.5", "True", "h.dim()"):
        leaves[0] = "h + 0"
    draft.result = _written(form, leaves, draft)


def _leaf(draft: Draft) -> str:
    name = draft.chance.choice([n for n in LEAVES if n != "rows" or draft.shape])
    draft.has(f"leaf:{name}")
    return LEAVES[name] if name != "same" else "h + 0"


def _written(form: str, leaves: list[str], draft: Draft) -> str:
    joined = ", ".join(leaves)
    if form == "dict":
        return "{" + ", ".join(f"'k{i}': {leaf}" for i, leaf in enumerate(leaves)) + "}"
    if form == "dataclass":
        fields = [f"    f{i}: object" for i in range(len(leaves))]
        draft.classes += ["@dataclasses.dataclass", "class Result:", *fields, "", ""]
        return f"Result({joined})"
    return {
        "one": leaves[0],
        "tuple": f"({joined},)",
        "list": f"[{joined}]",
        "nested": "{'a': (" + joined + ",), 'b': [" + leaves[0] + ", {'c': None}]}",
        "nothing": "None",
    }[form]


def _updates(draft: Draft) -> bool:
    """Change an input in place; False where there is none that can be."""
    if "argument:float" not in draft.features or not draft.shape:
        return False
    draft.body.append("x.copy_(h)")
    draft.has("updated input")
    return True
