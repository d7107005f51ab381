"""BoundReference: one instance of the reference, callable at its own precision or in float64.

The rule: a call never touches the caller's tensors, every call starts from the same state, and all
calls name the same buffers: which ones a call writes is found by trying once, before the first.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import _disable_current_modes

from assay.errors import TaskError
from assay.tasks.references.drawing.one_thread import one_thread
from assay.tasks.references.float64_mode import WideMode, lift, wide_arithmetic
from assay.tasks.references.in_place_updates import Update
from assay.tasks.references.module_copy import copied_module
from assay.tasks.references.reference_outputs import BUFFER_PREFIX, Outputs, flatten, same
from assay.tasks.references.task_source import kept_generators, seed_everything, user_code

CALL_SEED = 20_011
_TORCH_TABLES = ("_parameters", "_buffers", "_modules")
_PLAIN_CONTAINERS = (list, dict, set)


class _Snapshot:
    """The state of a module tree as constructed: tables, plain attributes and values."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module
        self._attributes = [(part, _copied(vars(part))) for part in module.modules()]
        self._plain = [
            (value, value.detach().clone())
            for _, attributes in self._attributes
            for value in attributes.values()
            if isinstance(value, torch.Tensor)
        ]
        self._values = {key: value.detach().clone() for key, value in _tensors(module).items()}

    def restore(self, state: Mapping[str, torch.Tensor]) -> None:
        """Puts everything back, then the values of `state` where it names them.

        Plain tensors come first: one of them may be a view of a parameter and must follow it.
        """
        for part, attributes in self._attributes:
            vars(part).clear()
            vars(part).update(_copied(attributes))
        for tensor, value in self._plain:
            tensor.detach().copy_(value)
        for key, tensor in _tensors(self._module).items():
            tensor.detach().copy_(state.get(key, self._values[key]))


def _copied(attributes: dict[str, Any]) -> dict[str, Any]:
    """Attributes with torch's tables and plain containers copied one level deep."""
    return {
        key: copy.copy(value) if key in _TORCH_TABLES or type(value) in _PLAIN_CONTAINERS else value
        for key, value in attributes.items()
    }


def _tensors(module: nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers, those left out of state_dict too, by name."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _unwatched(inputs: Sequence[Any]) -> contextlib.AbstractContextManager[Any]:
    """Whoever watches operations is not to see calls beside the one that was asked for.

    Their codes counted among those of the first call, which then had no right codes beside its own.
    Inputs without values stay with the mode that they belong to.
    """
    plain = all(type(v) is torch.Tensor for v in inputs if isinstance(v, torch.Tensor))
    return _disable_current_modes() if plain else contextlib.nullcontext()


class BoundReference:
    """A module with its snapshot, and a float64 twin made when first needed."""

    def __init__(self, task_id: str, module: nn.Module, updates: tuple[Update, ...] = ()) -> None:
        self.module = module
        self.updates = updates
        self._task_id = task_id
        self._own = _Snapshot(module)
        self._wide: tuple[nn.Module, _Snapshot] | None = None
        self._buffers: tuple[str, ...] | None = None  # those that a call changes

    def __call__(
        self, inputs: Sequence[Any], state: Mapping[str, torch.Tensor], wide: bool
    ) -> Outputs:
        """The reference's outputs on `inputs` with the values of `state`."""
        return self._call(inputs, state, wide, CALL_SEED)

    def _call(
        self, inputs: Sequence[Any], state: Mapping[str, torch.Tensor], wide: bool, seed: int
    ) -> Outputs:
        with user_code(self._task_id, "the reference"), torch.no_grad(), kept_generators():
            if self._buffers is None:
                with _unwatched(inputs):
                    self._buffers = self._changed_buffers(inputs, state)
            return self._run(inputs, state, wide, seed)

    def _run(
        self, inputs: Sequence[Any], state: Mapping[str, torch.Tensor], wide: bool, seed: int
    ) -> Outputs:
        module, snapshot = self._duplicate() if wide else (self.module, self._own)
        snapshot.restore(state)
        seed_everything(seed)
        try:
            if not wide:
                return self._outputs(module, [private(value) for value in inputs], None)
            with wide_arithmetic() as mode:
                return self._outputs(module, [_lifted(value) for value in inputs], mode)
        finally:
            snapshot.restore({})  # what is drawn from the module must not depend on calls

    def _changed_buffers(
        self, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
    ) -> tuple[str, ...]:
        """Tried with the given state and with the constructed one: a running maximum may stand.

        Once for all calls: in one precision a step may be lost that the other one shows.
        """
        names = [name for name, _ in self.module.named_buffers()]
        found: set[str] = set()
        for tried in (state, {}) if names else ():
            self._own.restore(tried)
            before = {name: buffer.clone() for name, buffer in self.module.named_buffers()}
            seed_everything(CALL_SEED)
            try:
                self.module(*map(private, inputs))
                found |= {
                    name
                    for name, buffer in self.module.named_buffers()
                    if name not in before or not same(buffer, before[name])
                }
            finally:
                self._own.restore({})
        return tuple(sorted(found, key=lambda name: names.index(name) if name in names else -1))

    def _outputs(self, module: nn.Module, inputs: Sequence[Any], mode: WideMode | None) -> Outputs:
        pairs = list(flatten(module(*inputs)))
        if mode is not None:
            pairs = [(name, mode.before_rounding(tensor)) for name, tensor in pairs]
        held = dict(module.named_buffers())
        pairs += [(BUFFER_PREFIX + name, held[name]) for name in self._buffers or ()]
        pairs += [(update.name, inputs[update.input]) for update in self.updates]
        if not pairs:
            raise TaskError("the reference returned no tensor")
        return Outputs(
            tuple(name for name, _ in pairs), tuple(tensor.detach().clone() for _, tensor in pairs)
        )

    def _duplicate(self) -> tuple[nn.Module, _Snapshot]:
        if self._wide is None:
            module = _lift_module(copied_module(self.module))
            self._wide = (module, _Snapshot(module))
        return self._wide

    @one_thread()
    def repeats(self, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]) -> bool:
        """True where two calls agree to the bit although the random seed differs.

        Two threads add what an index writes several times in the order in which they come: the
        gradient of a table differed in 103 of 200 calls.
        """
        one = self._call(inputs, state, False, CALL_SEED)
        other = self._call(inputs, state, False, CALL_SEED + 1)
        return one.names == other.names and all(
            same(a, b) for a, b in zip(one.tensors, other.tensors, strict=True)
        )


def reference_repeats(
    bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
) -> bool:
    """Determinism: the reference equals itself."""
    return bound.repeats(inputs, state)


def has_answer(
    bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
) -> bool:
    """True where the reference runs on `inputs` and every output is finite."""
    try:
        outputs = bound(inputs, state, wide=False).tensors
    except TaskError:
        return False
    return all(bool(tensor.isfinite().all()) for tensor in outputs)


def _lift_module(module: nn.Module) -> nn.Module:
    """Parameters, buffers and plain tensor attributes in float64 (complex128)."""
    module._apply(lift)
    for part in module.modules():
        for key, value in vars(part).items():
            if isinstance(value, torch.Tensor):
                vars(part)[key] = lift(value)
            elif type(value) in (list, tuple):
                vars(part)[key] = type(value)(lift(item) for item in value)
    return module


def private(value: Any) -> Any:
    """A copy with the same strides and offset, on a storage of its own."""
    if not isinstance(value, torch.Tensor) or value.is_sparse or value.is_quantized:
        return copy.deepcopy(value)
    storage = value.untyped_storage()
    if value.is_contiguous() and storage.nbytes() == value.nbytes:
        return value.clone()  # one operation where the other way takes four
    storage = storage.clone()
    made = torch.empty(0, dtype=value.dtype, device=value.device)
    return made.set_(storage, value.storage_offset(), value.shape, value.stride())


def _lifted(value: Any) -> Any:
    lifted = lift(value)
    return private(value) if lifted is value else lifted
