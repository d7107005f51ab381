"""ModuleText: the module that one function of a family stands for.

The rule: what the function needs of its file stands there as it was written, and nothing else: its
imports, the helpers and constants it reaches, its axes. The module is an ordinary task file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.tasks.families.family_function import FamilyFunction

_WORDS = "assay.tasks.families.family_words"
_VENDOR = "_vendor"
_TORCH = "import torch"  # which the draws need
_OF_THE_READER = ("AXES", "FAMILY")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class FamilyText:
    """The text of a family file, by parts that can stand alone."""

    text: str
    tree: ast.Module

    @cached_property
    def imports(self) -> str:
        """Its import statements, without those of our own words."""
        nodes = [n for n in self.tree.body if isinstance(n, ast.Import | ast.ImportFrom)]
        texts = [
            self.of(node)
            for node in nodes
            if not (isinstance(node, ast.ImportFrom) and node.module in (_WORDS, "__future__"))
        ]
        return "\n".join(texts if _TORCH in texts else [_TORCH, *texts])

    @cached_property
    def parts(self) -> dict[str, ast.stmt]:
        """Helpers and constants by name, in the order of the file."""
        found: dict[str, ast.stmt] = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found[node.name] = node
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found[node.targets[0].id] = node
        return found

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the file."""
        return self.text.splitlines()

    def of(self, node: ast.stmt) -> str:
        """The text of a top-level statement as it was written, without its decorators.

        `ast.get_source_segment` splits the whole text anew for each of them.
        """
        lines = self.lines[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1].encode()[: node.end_col_offset].decode()
        return "\n".join(lines)

    @cached_property
    def reached(self) -> dict[str, list[str]]:
        """For each part the other parts that it names."""
        return {name: self._named_in(name, part) for name, part in self.parts.items()}

    def _named_in(self, name: str, part: ast.stmt) -> list[str]:
        """The tree is walked only where the text holds the name of another part."""
        begin = min(one.lineno for one in (part, *getattr(part, "decorator_list", ())))
        text = "\n".join(self.lines[begin - 1 : part.end_lineno])
        if not (set(_WORD.findall(text)) & self.parts.keys()) - {name}:
            return []
        return [one for one in names_in(part) if one in self.parts]

    def needed(self, names: Sequence[str]) -> list[str]:
        """Parts that these names reach, in the order of the file."""
        wanted = [name for name in names if name in self.parts]
        for name in wanted:  # grows while it is walked
            wanted += [one for one in self.reached[name] if one not in wanted]
        return [name for name in self.parts if name in wanted]


def names_in(node: ast.AST) -> list[str]:
    """Every name that a part of the file reads or writes."""
    return sorted({one.id for one in ast.walk(node) if isinstance(one, ast.Name)})


def plain_function(family: FamilyText, node: ast.FunctionDef) -> str:
    """The function without decorator and annotations, its body as it was written."""
    body = family.lines[_body_line(node) - 1 : node.end_lineno]
    arguments = ast.arguments(
        posonlyargs=[],
        args=[ast.arg(one.arg) for one in node.args.args],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=node.args.defaults,
    )
    return "\n".join([f"def {node.name}({ast.unparse(arguments)}):", *body])


def _body_line(node: ast.FunctionDef) -> int:
    return node.body[0].lineno


def module_text(
    family: FamilyText, function: FamilyFunction, sizes: Mapping[str, int], dtype: str
) -> str:
    """The whole source; `sizes` are the own ones of the axes that it uses."""
    names = [one.name for one in function.arguments]
    call = ", ".join(names)
    draws = [one.expression(dtype, function.where) for one in function.arguments]
    reached = {function.name, f"{function.name}{_VENDOR}"}
    reached |= {name for one in function.arguments for name in one.names(function.where)}
    parts = [
        plain_function(family, part) if isinstance(part, ast.FunctionDef) else family.of(part)
        for name in family.needed(sorted(reached))
        if not isinstance(part := family.parts[name], ast.Assign) or name not in _OF_THE_READER
    ]
    head = [f'"""{function.title}"""', family.imports]
    constants = [f"{name} = {size}" for name, size in sizes.items()]
    declared = ["BACKWARD = True"] if function.declared.backward else []
    if function.declared.contract is not None:
        declared.append(f"CONTRACT = {function.declared.contract!r}")
    vendor = _vendor(family, function, names)
    model = (
        "class Model(torch.nn.Module):\n"
        f'    """{function.title}"""\n\n'
        f"    def forward(self, {call}):\n"
        f"        return {function.name}({call})"
    )
    inputs = (
        "def get_inputs():\n    return [\n" + "".join(f"        {d},\n" for d in draws) + "    ]"
    )
    init = "def get_init_inputs():\n    return []"
    sections = ["\n".join(declared), "\n".join(constants), *parts, model, *vendor, inputs, init]
    return "\n\n".join(head) + "\n\n" + "\n\n\n".join(one for one in sections if one) + "\n"


def _vendor(family: FamilyText, function: FamilyFunction, names: Sequence[str]) -> list[str]:
    """The library's own call, where the file has one."""
    if function.declared.library:
        return ["Vendor = Model"]
    own = f"{function.name}{_VENDOR}"
    if own not in family.parts:
        return []
    call = ", ".join(names)
    return [
        "class Vendor(Model):\n"
        '    """The library\'s own call."""\n\n'
        f"    def forward(self, {call}):\n"
        f"        return {own}({call})"
    ]
