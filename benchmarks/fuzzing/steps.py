"""Steps: what a generated module computes: layers with weights, reductions, and state it keeps."""

from __future__ import annotations

from collections.abc import Callable

from fuzzing.draft import Draft


def add_steps(draft: Draft) -> None:
    """One or two computations, then perhaps state that a call changes."""
    for _ in range(draft.chance.choice((1, 1, 2))):
        name = draft.chance.choice(_fitting(draft))
        _STEPS[name](draft)
        draft.has(f"step:{name}")
    for name in draft.chance.sample(list(_STATES), draft.chance.choices((0, 1, 2), (4, 4, 2))[0]):
        _STATES[name](draft)
        draft.has(f"state:{name}")
    if draft.chance.random() < 0.25:
        draft.setup.append("self.eval()")
        draft.has("eval")


def _fitting(draft: Draft) -> list[str]:
    rank = len(draft.shape)
    narrow = draft.dtype in ("float16", "bfloat16")
    names = ["elementwise", "gain", "mixed"]
    names += ["softmax", "linear", "layer_norm", "cumsum", "dropout_eval"] if rank else []
    names += ["batch_norm", "batch_norm"] if rank in (2, 3) and not narrow else []
    names += ["conv"] if rank == 3 and not narrow else []
    names += ["product"] if rank == 2 else []
    return names


def _elementwise(draft: Draft) -> None:
    draft.body.append(
        draft.chance.choice(
            ("h = torch.tanh(h)", "h = F.gelu(h)", "h = h * 2 + 1", "h = h.abs().sqrt()")
        )
    )


def _gain(draft: Draft) -> None:
    draft.setup.append("self.gain = nn.Parameter(torch.randn(()))")
    draft.body.append("h = h * self.gain.to(h.dtype)")


def _mixed(draft: Draft) -> None:
    """A parameter of another dtype, and one that stands under two names."""
    draft.setup += [
        "self.wide = nn.Parameter(torch.randn(1, dtype=torch.float64))",
        "self.twin = self.wide",
    ]
    draft.body.append("h = h * (self.wide + self.twin).to(h.dtype)")


def _softmax(draft: Draft) -> None:
    draft.body.append("h = torch.softmax(h, -1)")


def _linear(draft: Draft) -> None:
    bias = draft.chance.choice(("True", "False"))
    draft.setup.append(f"self.linear = nn.Linear({draft.width}, {draft.width}, bias={bias})")
    draft.body.append("h = self.linear(h.float()).to(h.dtype)")


def _layer_norm(draft: Draft) -> None:
    draft.setup.append(f"self.norm = nn.LayerNorm({draft.width})")
    draft.body.append("h = self.norm(h.float()).to(h.dtype)")


def _cumsum(draft: Draft) -> None:
    draft.body.append("h = torch.cumsum(h, -1)")


def _dropout_eval(draft: Draft) -> None:
    draft.setup.append("self.drop = nn.Dropout(0.0)")
    draft.body.append("h = self.drop(h) * 1.5")


def _batch_norm(draft: Draft) -> None:
    options = draft.chance.choice(("", ", momentum=None", ", affine=False", ", momentum=0.3"))
    draft.setup.append(f"self.batch_norm = nn.BatchNorm1d({draft.shape[1]}{options})")
    draft.body.append("h = self.batch_norm(h.float()).to(h.dtype)")
    draft.has("batch_norm" + options)
    if draft.chance.random() < 0.2:
        draft.setup.append("self.batch_norm.eval()")
        draft.has("frozen layer")


def _conv(draft: Draft) -> None:
    channels = draft.shape[1]
    draft.setup.append(f"self.conv = nn.Conv1d({channels}, {channels}, 3, padding=1)")
    draft.body.append("h = self.conv(h.float()).to(h.dtype)")


def _product(draft: Draft) -> None:
    draft.body.append("h = h @ h.transpose(-1, -2) @ h")


def _counter(draft: Draft) -> None:
    draft.setup.append("self.register_buffer('count', torch.zeros((), dtype=torch.int64))")
    draft.body.append("self.count += 1")


def _average(draft: Draft) -> None:
    draft.setup.append("self.register_buffer('average', torch.zeros(1))")
    draft.body.append("self.average.mul_(0.9).add_(0.1 * h.float().mean())")


def _replaced(draft: Draft) -> None:
    """The buffer is another tensor after the call."""
    draft.setup.append("self.register_buffer('last', torch.zeros(1))")
    draft.body.append("self.last = h.float().sum().reshape(1)")


def _peak(draft: Draft) -> None:
    """Changes in some calls only."""
    draft.setup.append("self.register_buffer('peak', torch.zeros(()))")
    draft.body.append("self.peak.copy_(torch.maximum(self.peak, h.float().max()))")


def _table(draft: Draft) -> None:
    """Integers that are read, never written."""
    draft.setup.append("self.register_buffer('table', torch.tensor([1, 2, 3]))")
    draft.body.append("h = h * self.table.sum().to(h.dtype) / 6")


def _flag(draft: Draft) -> None:
    draft.setup.append("self.register_buffer('seen', torch.zeros(2, dtype=torch.bool))")
    draft.body.append("self.seen.fill_(True)")


def _hidden(draft: Draft) -> None:
    """A buffer that state_dict leaves out."""
    draft.setup.append("self.register_buffer('hidden', torch.ones(3), persistent=False)")
    draft.body.append("h = h * self.hidden.sum().to(h.dtype)")


def _training_only(draft: Draft) -> None:
    draft.setup.append("self.register_buffer('steps', torch.zeros((), dtype=torch.int32))")
    draft.body += ["if self.training:", "    self.steps.add_(1)", "    h = h * 2"]


_STEPS: dict[str, Callable[[Draft], None]] = {
    "elementwise": _elementwise,
    "gain": _gain,
    "mixed": _mixed,
    "softmax": _softmax,
    "linear": _linear,
    "layer_norm": _layer_norm,
    "cumsum": _cumsum,
    "dropout_eval": _dropout_eval,
    "batch_norm": _batch_norm,
    "conv": _conv,
    "product": _product,
}
_STATES: dict[str, Callable[[Draft], None]] = {
    "counter": _counter,
    "average": _average,
    "replaced": _replaced,
    "peak": _peak,
    "table": _table,
    "flag": _flag,
    "hidden": _hidden,
    "training_only": _training_only,
}
