"""Forward code: the forward of a traced model as statements that can be rearranged.

The rule: a statement names what it uses. A forward that cannot be written as such statements is a
ValueError that says why.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch.fx import Graph, Node

from assay.workbench.models.graph.python_text import expression, text
from assay.workbench.models.hot_report import ForwardCode, Statement


def forward_code(graph: Graph, made_with: Sequence[object]) -> ForwardCode:
    """Every node as one statement, for a model that was made with these arguments."""
    arguments, statements, result = [], [], None
    for node in graph.nodes:
        if node.op == "placeholder":
            arguments.append(_argument(node))
        elif node.op == "output":
            result = node
        else:
            uses = tuple(one.name for one in node.all_input_nodes)
            made = expression(node, _name)
            statements.append(Statement(makes=node.name, text=made, uses=uses))
    if result is None:
        raise ValueError("the forward returns nothing")
    return ForwardCode(
        arguments=tuple(arguments),
        statements=tuple(statements),
        result=text(result.args[0], _name),
        result_uses=tuple(one.name for one in result.all_input_nodes),
        made_with=text(list(made_with), _name),
    )


def _name(node: Node) -> str:
    return node.name


def _argument(node: Node) -> str:
    if str(node.target).startswith("*"):
        raise ValueError(f"forward takes {node.target}, whose number is not known")
    return f"{node.name}={text(node.args[0], _name)}" if node.args else node.name
