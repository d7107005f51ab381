"""Backward: from a differentiable task the task of its gradients, `NAME.backward`.

The rule: it is a task like any other, made by adding to the source. `ModelBackward` has the
constructor, the parameters and the names of `Model`. It takes the inputs and then one gradient for
each floating output, and returns the gradients of every floating input and then of every parameter,
in that order. A module says `BACKWARD = True` where its gradients may be asked for.
"""

from __future__ import annotations

from assay.data.task import Task
from assay.data.workload import Direction

SUFFIX = ".backward"
DECLARATION = "BACKWARD"

ADDED = '''

import inspect as _inspect

import torch


def _float_tensors(value):
    """The floating tensors of a result, in order."""
    if isinstance(value, torch.Tensor):
        return [value] if value.is_floating_point() else []
    parts = value.values() if isinstance(value, dict) else value
    if not isinstance(value, (dict, list, tuple)):
        return []
    return [tensor for part in parts for tensor in _float_tensors(part)]


class _Given(torch.autograd.Function):
    """A number whose gradient in each of the outputs is the given one.

    `torch.autograd.grad` with gradients of its own would import sympy, 0.7 s once a process.
    """

    @staticmethod
    def forward(ctx, gradients, *outputs):
        ctx.gradients = gradients
        return outputs[0].new_zeros(())

    @staticmethod
    def backward(ctx, _):
        return None, *ctx.gradients


class ModelBackward(Model):
    """The gradients of `Model`."""

    def forward(self, *given):
        count = min(len(_inspect.signature(super().forward).parameters), len(given) - 1)
        with torch.enable_grad():
            inputs = [self._leaf(value) for value in given[:count]]
            outputs = _float_tensors(super().forward(*inputs))
            wanted = [value for value in inputs if getattr(value, "requires_grad", False)]
            wanted += list(self.parameters())
            made = _Given.apply(given[count:], *outputs)
            found = torch.autograd.grad(made, wanted, allow_unused=True, materialize_grads=True)
        return tuple(gradient.detach().clone() for gradient in found)  # a sum's is a view

    def _leaf(self, value):
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return value.detach().requires_grad_(True)
        return value


_forward_inputs = get_inputs
# Shape and dtype of every output, once known: they follow from the sizes of this module.
_made = globals().get("_assay_kept", {}).setdefault("made", [])


def _outputs(inputs, init, device):
    """What the forward pass makes of the inputs, on a device: "meta" has shapes alone."""
    moved = [v.to(device) if isinstance(v, torch.Tensor) else v for v in inputs]
    with torch.no_grad(), torch.random.fork_rng(devices=[]), torch.device(device):
        model = Model(**init) if isinstance(init, dict) else Model(*init)
        return _float_tensors(model(*moved))


def _small_outputs(inputs, init):
    """The same of small inputs, for real: what watches over larger ones stands aside."""
    with torch._C.DisableTorchFunction():
        return _outputs(inputs, init, "cpu")


def _is_small(value):
    if not isinstance(value, torch.Tensor):
        return True
    elements, rows = value.numel(), value.shape[-2] if value.dim() > 2 else 1
    pairs = elements * rows // max(1, *value.shape[-1:])  # of rows of a matrix, as attention has
    return elements <= 1 << 22 and pairs <= 1 << 24 and value.device.type == "cpu"


def get_inputs():
    inputs, init = _forward_inputs(), get_init_inputs()
    if not _made:
        try:
            small = all(map(_is_small, inputs))
            outputs = _small_outputs(inputs, init) if small else _outputs(inputs, init, "meta")
        except Exception:
            outputs = _outputs(inputs, init, "cpu")
        _made.extend((made.shape, made.dtype) for made in outputs)
    return [*inputs, *(torch.randn(shape, dtype=dtype) for shape, dtype in _made)]
'''


def backward_of(task: Task) -> Task:
    """The task of the gradients of `task`."""
    return task.model_copy(
        update={
            "id": task.id + SUFFIX,
            "title": f"Gradients of: {task.title}",
            "source": task.source.rstrip() + "\n" + ADDED,
            "entry": "ModelBackward",
            "direction": Direction.BACKWARD,
        }
    )
