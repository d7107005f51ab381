"""CUDA sources of a candidate: files, and strings in its Python, found without running it.

The rule: a text is taken only where it is known in full. What is put together while the candidate
runs (a formatted template) is named as such and never compiled in part.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from assay.data.candidate import Candidate, SourceFile
from assay.python_tree import module_tree

_KERNEL = re.compile(r"__global__\s[^;{}()]*(?:__launch_bounds__\s*\([^()]*\)[^;{}()]*)?\(")
_FILLED_IN = frozenset(("format", "format_map", "replace", "substitute", "safe_substitute"))
_FLAG_KEYWORDS = frozenset(("extra_cuda_cflags", "options", "nvcc_options", "extra_cflags"))
_FLAG = re.compile(
    r"-D\w+(=[\w.+-]+)?|-U\w+|-std=(c|gnu)\+\+\d\d|--?use_fast_math|-O[0-3]|--?extended-lambda"
    r"|--expt-[a-z]+-[a-z]+|--?maxrregcount=\d+|--?(ftz|prec-div|prec-sqrt|fmad)=(true|false)"
)


@dataclass(frozen=True, slots=True)
class CudaSource:
    """One translation unit."""

    file: SourceFile  # that it stands in
    line: int
    text: str
    whole: bool = True  # False where values are filled in when the candidate runs
    flags: tuple[str, ...] = ()  # of the compiler, as far as they bear on device code

    def where(self, kernel: str, line: int) -> str:
        """Where in the file a kernel stands, that is on this line of the text."""
        head = re.compile(rf"__global__[^;{{}}]*?\b({re.escape(kernel)})\s*\(")
        found = head.search(self.file.text)
        if found is not None:
            return f"{self.file.path}:{1 + self.file.text.count(chr(10), 0, found.start(1))}"
        return f"{self.file.path}:{self.line + line - 1}"


def cuda_sources(candidate: Candidate) -> tuple[CudaSource, ...]:
    """Every translation unit with a kernel in it, in the order of the files."""
    found: list[CudaSource] = []
    for file in candidate.sources:
        if file.path.endswith(".cu"):
            found.append(CudaSource(file, 1, file.text))
        elif file.path.endswith(".py"):
            found += _in_python(file)
    return tuple(found)


def _in_python(file: SourceFile) -> list[CudaSource]:
    try:
        reader = _SourceReader(module_tree(file.text))
    except (SyntaxError, ValueError, RecursionError):
        return []
    flags = tuple(reader.flags())
    texts: dict[str, tuple[int, bool]] = {}
    for line, text, whole in reader.texts():
        if _KERNEL.search(text):
            earlier = texts.get(text)
            texts[text] = (earlier[0], earlier[1] and whole) if earlier else (line, whole)
    outermost = [
        text for text in texts if not any(text != other and text in other for other in texts)
    ]
    found = [CudaSource(file, texts[text][0], text, texts[text][1], flags) for text in outermost]
    return sorted(found, key=lambda source: source.line)


class _SourceReader:
    """The strings of one Python file, constants and what is plainly made of them."""

    def __init__(self, tree: ast.Module) -> None:
        self._nodes = list(ast.walk(tree))
        self._names: dict[str, ast.expr] = {}
        self._filled: set[str] = set()
        described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        self._docstrings = {
            id(node.body[0].value)
            for node in self._nodes
            if isinstance(node, described) and node.body and isinstance(node.body[0], ast.Expr)
        }
        for node in self._nodes:
            self._note(node)

    def texts(self) -> Iterator[tuple[int, str, bool]]:
        """Line, text, and whether the text is known in full."""
        for node in self._nodes:
            if not isinstance(node, ast.expr) or id(node) in self._docstrings:
                continue
            text = self._value(node)
            if text is not None:
                yield node.lineno, text, not self._is_filled(node)
            elif isinstance(node, ast.JoinedStr):
                pieces = (self._value(part) or "0" for part in node.values)
                yield node.lineno, "".join(pieces), False

    def flags(self) -> Iterator[str]:
        """Compiler flags given as literals that change what device code becomes."""
        for node in self._nodes:
            if isinstance(node, ast.keyword) and node.arg in _FLAG_KEYWORDS:
                constants = (n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant))
                texts = (value for value in constants if isinstance(value, str))
                yield from (text for text in texts if _FLAG.fullmatch(text))

    def _note(self, node: ast.AST) -> None:
        """Names with one value, and texts in which values are filled in."""
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, ast.Name):
                self._names[target.id] = node.value
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            self._fill(node.left)
        elif isinstance(node, ast.Attribute) and node.attr in _FILLED_IN:
            self._fill(node.value)
        elif isinstance(node, ast.Call) and _called(node) == "Template" and node.args:
            self._fill(node.args[0])

    def _fill(self, node: ast.expr) -> None:
        self._filled |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        self._filled |= {str(id(n)) for n in ast.walk(node)}

    def _is_filled(self, node: ast.expr) -> bool:
        if str(id(node)) in self._filled:
            return True
        bound = (name for name, value in self._names.items() if value is node)
        return any(name in self._filled for name in bound)

    def _value(self, node: ast.expr, depth: int = 0) -> str | None:
        """The text of an expression, or None where only running it would tell."""
        if depth > 20:
            return None
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.JoinedStr(values=parts):
                return self._joined(list(parts), "", depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], "", depth)
            case ast.Name(id=name) if name in self._names:
                return self._value(self._names[name], depth + 1)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) if parts:
                return self._joined(parts, "\n", depth)
            case ast.Call(func=ast.Attribute(value=inner, attr="strip" | "lstrip" | "rstrip")):
                return self._value(inner, depth + 1)
            case ast.Call(args=[inner]) if _called(node) == "dedent":
                indented = self._value(inner, depth + 1)
                return None if indented is None else textwrap.dedent(indented)
        return None

    def _joined(self, parts: list[ast.expr], between: str, depth: int) -> str | None:
        texts = [self._value(part, depth + 1) for part in parts]
        known = [text for text in texts if text is not None]
        return between.join(known) if len(known) == len(texts) else None


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""
