"""Operation work: what each operation of a trace reads, makes and multiplies.

Selection: operations whose result need not depend on all that they are given.

The rule: which elements a mask selects is not known without values, so the fewest that it could
are counted. Of a triangle only the elements inside it are read, of a table those looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import flop_registry

from assay.limits.known_structures import Structures
from assay.limits.work import Operation, Read, distinct, dtype_name, storage

_LOOK_UPS = ("embedding", "index_select", "index", "gather", "take")
_TRIANGLES = ("tril", "triu")
_MASKED = ("masked_fill", "masked_select")


def fewest_read(
    name: str, taken: Sequence[torch.Tensor], made: Sequence[torch.Tensor], diagonal: object = 0
) -> dict[int, int]:
    """By the place of a tensor, how many of its elements must be read; others in full."""
    if name in _LOOK_UPS:
        return {0: sum(tensor.numel() for tensor in made)}
    if name in _TRIANGLES and isinstance(diagonal, int):
        return {0: triangle(taken[0], name == "triu", diagonal)}
    if name in _MASKED:
        return {0: 0}
    if name == "where" and len(taken) == 3:
        costs = {place: distinct(taken[place]) * taken[place].element_size() for place in (1, 2)}
        return {max(costs, key=costs.__getitem__): 0}  # every element may come from the other
    return {}


def triangle(matrix: torch.Tensor, upper: bool, diagonal: int) -> int:
    """Elements of the last two dimensions on one side of a diagonal, in all matrices."""
    rows, columns = matrix.shape[-2:]
    lower = sum(min(columns, max(0, row + diagonal + 1 - upper)) for row in range(rows))
    kept = rows * columns - lower if upper else lower
    return kept * (distinct(matrix) // max(1, rows * columns))


Add = Callable[[Operation, Iterable[torch.Tensor]], None]

_MAKE_ONLY = ("empty", "zeros", "ones", "full", "rand", "new_", "_like", "arange", "linspace")
_PRODUCTS = ("mm", "bmm", "addmm", "baddbmm")
_VECTORS = {"mv": 0, "dot": 0, "addmv": 1}  # which tensor has as many elements as multiplications


class OperationWork(TorchDispatchMode):
    """Sees every operation, and hands it on as a record."""

    def __init__(self, structures: Structures, add: Add) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._structures = structures
        self._add = add

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = func._overloadpacket.__name__.rstrip("_")
        self._structures.note(name, result)
        if not func.is_view:
            taken, made = _tensors((args, kwargs)), _tensors(result)
            flops = self._flops(func, taken, lambda count: count(*args, **kwargs, out_val=result))
            diagonal = kwargs.get("diagonal", args[1] if len(args) > 1 else 0)
            least = fewest_read(name, taken, made, diagonal)
            self._add(_record(name, taken, made, (flops, least)), made)
        return result

    def _flops(self, func: Any, taken: list[torch.Tensor], counted: Callable[[Any], int]) -> int:
        """By torch's own registry; of structured matrices less."""
        name = func._overloadpacket.__name__
        if name in _VECTORS:
            return 2 * taken[_VECTORS[name]].numel()
        if func._overloadpacket not in flop_registry:
            return 0
        flops = counted(flop_registry[func._overloadpacket])
        share = self._structures.share(*taken[-2:]) if name in _PRODUCTS else 1.0
        return int(flops * share)


def _record(
    name: str,
    taken: list[torch.Tensor],
    made: list[torch.Tensor],
    counted: tuple[int, dict[int, int]],
) -> Operation:
    """`counted`: the products, and by place how many elements of a tensor are read at the least."""
    flops, least = counted
    size = sum(tensor.numel() for tensor in made)
    keys = frozenset(map(storage, made))
    if any(part in name for part in _MAKE_ONLY):
        return Operation(keys, frozenset(), elements=size)
    reads = [Read.of(tensor, least.get(place)) for place, tensor in enumerate(taken)]
    dtype = dtype_name(taken[0]) if taken else ""
    return Operation(keys, frozenset(map(storage, taken)), tuple(reads), dtype, flops, size)


def _tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
