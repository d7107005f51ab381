"""Arguments: what a generated module is called with: every dtype, rank and layout, or nothing."""

from __future__ import annotations

from fuzzing.draft import Draft

FLOATS = ("float32", "float32", "float32", "float64", "float16", "bfloat16")
WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64")
_SIZES = ((), (33,), (6, 20), (4, 5, 12), (2, 3, 5, 8))


def add_arguments(draft: Draft) -> None:
    """`h`, a floating tensor, from the inputs; and the other inputs."""
    kind = draft.chance.choices(("float", "whole", "complex", "none", "scalar"), (14, 3, 1, 1, 1))[
        0
    ]
    {
        "float": _floating,
        "whole": _whole,
        "complex": _complex,
        "none": _none,
        "scalar": _scalar,
    }[kind](draft)
    draft.has(f"argument:{kind}")
    for name in ("y", "z")[: draft.chance.choices((0, 1, 2), (5, 3, 1))[0]]:
        _another(draft, name)


def _shaped(draft: Draft) -> str:
    sizes = draft.chance.choices(_SIZES, (1, 3, 6, 4, 2))[0]
    for name, size in zip("abcd", sizes, strict=False):
        draft.sizes[name] = size
        draft.shape.append(name)
    draft.has(f"rank:{len(sizes)}")
    return ", ".join(draft.shape)


def _floating(draft: Draft) -> None:
    shape, draft.dtype = _shaped(draft), draft.chance.choice(FLOATS)
    draw = draft.chance.choice(("randn", "rand")) + f"({_tuple(shape)}).to(torch.{draft.dtype})"
    draft.inputs["x"] = f"torch.{draw}" + _layout(draft)
    draft.body.append("h = x")
    draft.has(f"input:{draft.dtype}")


def _layout(draft: Draft) -> str:
    """Some inputs are views of others."""
    if len(draft.shape) < 2 or draft.chance.random() < 0.75:
        return ""
    draft.has("strided input")
    last = len(draft.shape) - 1
    draft.shape[last - 1], draft.shape[last] = draft.shape[last], draft.shape[last - 1]
    return ".transpose(-1, -2)"


def _whole(draft: Draft) -> None:
    shape, dtype = _shaped(draft), draft.chance.choice(WHOLE)
    high = 2 if dtype == "bool" else 10
    draft.inputs["x"] = f"torch.randint(0, {high}, ({_tuple(shape)})).to(torch.{dtype})"
    draft.body.append("h = x.float() * 0.25")
    draft.has(f"input:{dtype}")


def _complex(draft: Draft) -> None:
    shape = _shaped(draft)
    draft.inputs["x"] = f"torch.randn({_tuple(shape)}, dtype=torch.complex64)"
    draft.body.append("h = (x * (1 + 0.5j)).real.contiguous()")
    draft.has("input:complex64")


def _none(draft: Draft) -> None:
    draft.sizes["a"] = 24
    draft.shape.append("a")
    draft.setup.append("self.start = nn.Parameter(torch.randn(a))")
    draft.body.append("h = self.start * 1.0")


def _scalar(draft: Draft) -> None:
    """A Python number alone."""
    draft.sizes["a"] = 24
    draft.shape.append("a")
    draft.inputs["x"] = draft.chance.choice(("3", "0.75"))
    draft.setup.append("self.start = nn.Parameter(torch.randn(a))")
    draft.body.append("h = self.start * x")


def _another(draft: Draft, name: str) -> None:
    choice = draft.chance.choice(("same", "whole", "mask", "int", "float", "flag", "point"))
    shape = _tuple(", ".join(draft.shape))
    drawn, use = {
        "same": (f"torch.randn({shape})", f"h = h + {name}.to(h.dtype)"),
        "whole": (f"torch.randint(-5, 5, ({shape}))", f"h = h * {name}.to(h.dtype)"),
        "mask": (f"torch.rand({shape}) > 0.3", f"h = torch.where({name}, h, torch.zeros_like(h))"),
        "int": ("3", f"h = h * {name}"),
        "float": ("0.5", f"h = h + {name}"),
        "flag": ("True", f"h = -h if {name} else h"),
        "point": ("torch.randn(())", f"h = h * {name}.to(h.dtype)"),
    }[choice]
    if draft.features and "strided input" in draft.features and choice in ("same", "whole", "mask"):
        return
    draft.inputs[name] = drawn
    draft.body.append(use)
    draft.has(f"second:{choice}")


def _tuple(shape: str) -> str:
    return f"({shape},)" if shape else "()"
