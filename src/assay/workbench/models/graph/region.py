"""KernelRegion: nodes of a traced graph that one kernel could compute, as a function of its own.

The rule: a region is convex (no path leaves it and comes back), so that one call can take its
place. Equal regions have equal text: inputs and values are numbered in order of appearance.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from torch.fx import Node

from assay.workbench.models.graph.python_text import expression, is_last_use, text
from assay.workbench.models.graph.traced_model import TracedModel, is_in_place
from assay.workbench.models.profile_rows import TensorForm

_ROWS = "normalized_shape"  # its sizes are those of the input's last dimensions


@dataclass(frozen=True)
class KernelRegion:
    """Nodes in graph order, what they are handed and what of theirs is used elsewhere."""

    nodes: tuple[Node, ...]
    inputs: tuple[Node, ...]
    outputs: tuple[Node, ...]

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> KernelRegion:
        """The nodes in graph order, as they are given."""
        kept = tuple(nodes)
        inside = set(kept)
        inputs = dict.fromkeys(
            one for node in kept for one in node.all_input_nodes if one not in inside
        )
        outputs = tuple(node for node in kept if any(user not in inside for user in node.users))
        return cls(kept, tuple(inputs), outputs)

    @property
    def label(self) -> str:
        """`add + layer_norm`."""
        return " + ".join(map(node_label, self.nodes))

    @property
    def short_label(self) -> str:
        """`pow + mul + add and 5 more`."""
        names = list(map(node_label, self.nodes))
        more = f" and {len(names) - 3} more" if len(names) > 4 else ""
        return " + ".join(names[:3] if more else names) + more

    def forms(self, traced: TracedModel) -> tuple[TensorForm, ...]:
        """Of its inputs; an input that is no single tensor is a ValueError."""
        found = [traced.forms[one.name] for one in self.inputs]
        if any(len(one) != 1 for one in found):
            raise ValueError("an input is no tensor: a size or a tuple")
        return tuple(one[0] for one in found)

    def lines(self) -> tuple[list[str], str]:
        """The body of the function, one line a node, and what it returns."""
        names = {node: f"in{place}" for place, node in enumerate(self.inputs)}
        names |= {node: f"v{place}" for place, node in enumerate(self.nodes)}
        lines = [f"{names[node]} = {_written(node, names)}" for node in self.nodes]
        return lines, ", ".join(names[node] for node in self.outputs)


def node_label(node: Node) -> str:
    """The function's or method's own name."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    return str(name or node.name)


def _written(node: Node, names: dict[Node, str]) -> str:
    """The node's expression for any shape, changing nothing in place."""
    if node.op == "call_module":
        raise ValueError(f"the module {node.target} is not traced into")
    shown = expression(_plain(node), names.__getitem__)
    if node_label(node) in ("layer_norm", "rms_norm") and len(node.args) > 1:
        sizes = node.args[1]
        count = len(sizes) if isinstance(sizes, tuple | list) else 0
        if count:
            first = names[node.args[0]] if isinstance(node.args[0], Node) else ""
            written = text(sizes, names.__getitem__)
            shown = shown.replace(f"({first}, {written}", f"({first}, {first}.shape[-{count}:]", 1)
    return shown


def _plain(node: Node) -> Node:
    """`inplace` changes nothing that anybody sees where it is the last use."""
    if not is_in_place(node):
        return node
    if node.kwargs.get("inplace") is True and is_last_use(node):
        return _Plain(node)  # type: ignore[return-value]
    if is_last_use(node) and node.op == "call_function":
        return node
    raise ValueError(f"{node_label(node)} changes its input in place")


class _Plain:
    """A node as it is, but for `inplace`."""

    def __init__(self, node: Node) -> None:
        self.op, self.target, self.args = node.op, node.target, node.args
        self.kwargs = {k: v for k, v in node.kwargs.items() if k != "inplace"}
