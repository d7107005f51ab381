"""Honest kernels whose way to the result a reader of constants or of names alone would lose."""

from source_analysis.source_heads import CTYPES_HEAD, NUMBA_HEAD, TRITON_HEAD

_LAUNCH = "_k[(triton.cdiv(x.numel(), 256),)](x, y, x.numel(), BLOCK=256)"
_GRADIENT = """
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.empty_like(x)

    @staticmethod
    def backward(ctx, x):
        (kept,) = ctx.saved_tensors
        y = torch.empty_like(kept)
        LAUNCH
        return y
""".replace("LAUNCH", _LAUNCH)


def _forward(body: str, head: str = "") -> str:
    lines = "\n".join("        " + line for line in body.strip("\n").splitlines())
    lines = lines.replace("LAUNCH", _LAUNCH)
    return (
        f"{TRITON_HEAD}\n{head}\nclass ModelNew(nn.Module):\n"
        f"    def forward(self, x):\n        y = torch.empty_like(x)\n{lines}\n        return y\n"
    )


def _backward(body: str) -> str:
    lines = "\n".join("            " + line for line in body.strip("\n").splitlines())
    return (
        f"{TRITON_HEAD}\n{_GRADIENT}\nclass ModelNew(nn.Module):\n"
        "    def forward(self, x, gradient):\n        with torch.enable_grad():\n"
        f"            leaf = x.detach().clone().requires_grad_(True)\n{lines}\n"
    )


_SIZES: dict[str, str] = {
    "size_or_zero_by_expression": _forward(
        "rows = x.shape[0] if x.dim() else 0\nif rows:\n    LAUNCH"
    ),
    "size_or_zero_by_branch": _forward(
        "rows = 0\nif x.dim() == 2:\n    rows = x.shape[0]\nif rows:\n    LAUNCH"
    ),
    "size_or_zero_by_operator": _forward("count = x.numel() or 0\nif count:\n    LAUNCH"),
    "size_or_zero_by_walrus": _forward("if (rows := x.shape[0] if x.dim() else 0):\n    LAUNCH"),
    "size_or_zero_by_return": _forward(
        "if rows_of(x):\n    LAUNCH",
        "def rows_of(x):\n    if x.dim() == 0:\n        return 0\n    return x.shape[0]\n",
    ),
    "size_or_zero_by_attribute": _forward(
        "self.rows = 0\nif x.dim():\n    self.rows = x.numel()\nif self.rows:\n    LAUNCH"
    ),
    "size_or_zero_in_a_list": _forward(
        "sizes = [0] * 2\nfor i in range(2):\n    sizes[i] = x.shape[i]\nif sizes[0]:\n    LAUNCH"
    ),
    "size_or_zero_by_match": _forward(
        "match x.dim():\n    case 1 | 2:\n        rows = x.shape[0]\n"
        "    case _:\n        rows = 0\n"
        "if rows:\n    LAUNCH"
    ),
    "stride_or_none": _forward(
        "stride = x.stride() if x.dim() else None\nif stride is not None:\n    LAUNCH"
    ),
    "counted_by_a_loop": _forward(
        "i = 0\nwhile i < x.shape[0]:\n    if i > 0:\n        LAUNCH\n    i += 1"
    ),
    "rounded_up_by_a_loop": _forward(
        "block = 1\nwhile block < x.shape[-1]:\n    block *= 2\n"
        "if block > 8:\n    LAUNCH\nelse:\n    raise ValueError"
    ),
}
_GRADIENTS: dict[str, str] = {
    "gradient_asked_for": _backward(
        "return torch.autograd.grad(Twice.apply(leaf), (leaf,), gradient)"
    ),
    "gradient_of_a_method": _backward("Twice.apply(leaf).backward(gradient)\nreturn leaf.grad"),
    "gradient_of_a_list": _backward(
        "torch.autograd.backward([Twice.apply(leaf)], [gradient])\nreturn leaf.grad"
    ),
}

_SCALAR = (
    NUMBA_HEAD
    + """
@njit
def total(x):
    found = 0.0
    for value in x.ravel():
        found += value
    return found

class ModelNew(nn.Module):
    def forward(self, x):
        value = total(x.numpy())
        return RESULT
"""
)
_FILLED: dict[str, str] = {
    f"number_in_{name}": _SCALAR.replace("RESULT", result)
    for name, result in {
        "full": "torch.full((), value)",
        "full_by_name": "torch.full(size=(1,), fill_value=value / max(x.numel(), 1))",
        "full_like": "torch.full_like(x[0, 0], value)",
        "new_full": "x.new_full((), float(value))",
        "new_tensor": "x.new_tensor(value)",
        "scalar_tensor": "torch.scalar_tensor(value)",
        "typed_tensor": "torch.FloatTensor([value])",
        "array_full": "torch.from_numpy(np.full((), value, np.float32))",
        "fill": "torch.empty(()).fill_(value)",
    }.items()
}

_ADDRESSES: dict[str, str] = {
    name: f"{CTYPES_HEAD}\nclass ModelNew(nn.Module):\n    def forward(self, x):\n"
    + "\n".join("        " + line for line in body.strip().splitlines())
    for name, body in {
        "numbers_by_reference": """
first, second = ctypes.c_float(), ctypes.c_double(0.0)
_build().k(ctypes.c_void_p(x.data_ptr()), ctypes.byref(first), ctypes.byref(second))
return torch.tensor([first.value, second.value])
""",
        "array_of_python": """
import array
made = array.array("f", bytes(4 * x.numel()))
_build().k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(made.buffer_info()[0]))
return torch.tensor(made).view(x.shape)
""",
        "bytes_of_a_size": """
made = bytearray(4 * x.numel())
_build().k(ctypes.c_void_p(x.data_ptr()), (ctypes.c_char * len(made)).from_buffer(made))
return torch.frombuffer(made, dtype=torch.float32).view(x.shape)
""",
        "numbers_from_a_generator": """
import numpy as np
kernel = _build().k
totals = (kernel(ctypes.c_void_p(row.data_ptr()), row.numel()) for row in x)
return torch.from_numpy(np.fromiter(totals, dtype=np.float32))
""",
    }.items()
}

FLOWS: dict[str, str] = {**_SIZES, **_GRADIENTS, **_FILLED, **_ADDRESSES}
