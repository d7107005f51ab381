"""Sizes: the integers in a task's source that may set a shape, made replaceable.

The rule: the module is executed afresh with other integers in their places, so that everything the
source derives from them (`bias_shape = (out_channels, 1, 1)`) follows by itself.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from dataclasses import dataclass

SIZES = "_assay_sizes"  # name of the table of sizes inside the task's namespace
SEED = "_assay_seed"  # name of the seed that replaces fixed ones in the input functions
KEPT = "_assay_kept"  # name of what one execution found out, for the next of the same sizes
FACTORS = (1.0, 0.5, 1.5)  # versions of a float: no zero, no change of sign, within 0 to 1 mostly
INPUT_FUNCTIONS = ("get_inputs", "get_init_inputs")
FACTORIES = frozenset(
    "rand randn randint zeros ones empty full normal uniform arange linspace eye randperm tensor "
    "random standard_normal integers".split()
)
SEEDERS = frozenset({"manual_seed", "seed", "default_rng", "RandomState"})
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.LShift: operator.lshift,
    ast.Pow: operator.pow,
}


@dataclass(frozen=True)
class Site:
    """One number of the source. `name` is set where a module-level name holds exactly it."""

    key: str
    own: int
    name: str = ""
    follows: str = ""  # the site whose value it takes unless it has one of its own: a square's side
    bounds: bool = False  # it ends the range of a random integer: an index into something
    place: tuple[int, int] | None = None  # tensor and dimension of a literal in an input's shape
    constant: float | None = None  # a float, of which `own` and other integers number the versions

    def at(self, number: int) -> int | float:
        """What stands in the source for `number`."""
        return number if self.constant is None else self.constant * FACTORS[number]


def constant_int(node: ast.expr) -> int | None:
    """The value of an expression made of integer literals only, such as `1024 * 2`."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        left, right = constant_int(node.left), constant_int(node.right)
        if left is None or right is None or not _tame(node.op, left, right):
            return None
        return _OPERATORS[type(node.op)](left, right)
    return None


def constant_float(node: ast.expr) -> float | None:
    """The value of a float literal with or without a sign, unless it is zero."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant_float(node.operand)
        return None if inner is None else -inner
    if isinstance(node, ast.Constant) and type(node.value) is float:
        return node.value or None
    return None


def _tame(op: ast.operator, left: int, right: int) -> bool:
    """False where folding could fail or make a number too long to be a size."""
    if isinstance(op, ast.Pow | ast.LShift):
        return 0 <= right <= 40 and abs(left) <= 1 << 20
    return not (isinstance(op, ast.FloorDiv) and right == 0)


class SizeFinder:
    """Walks the module once, replaces each site by a look-up and remembers it."""

    def __init__(self, tree: ast.Module) -> None:
        self.sites: dict[str, Site] = {}
        self.tree = tree
        tree.body = [part for node in tree.body for part in _split(node)]
        for node in tree.body:
            if isinstance(node, ast.Assign):
                self._assignment(node.targets[0], node)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._assignment(node.target, node)
            elif isinstance(node, ast.FunctionDef):
                _FunctionSites(self, node).run()
        ast.fix_missing_locations(tree)

    def _assignment(self, target: ast.expr, node: ast.Assign | ast.AnnAssign) -> None:
        value = node.value
        if value is None:
            return
        if isinstance(target, ast.Name):
            node.value = self._value(value, target.id, target.id)
        elif (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            value.elts = [
                self._value(part, name.id, name.id) if isinstance(name, ast.Name) else part
                for name, part in zip(target.elts, value.elts, strict=True)
            ]

    def _value(self, node: ast.expr, key: str, name: str = "") -> ast.expr:
        """`node` with every site in it replaced; containers of literals are entered."""
        number = constant_int(node)
        if number is not None:
            return self.replace(node, Site(key, number, name)) if number >= 1 else node
        real = constant_float(node)
        if real is not None:
            return self.replace(node, Site(key, 0, name, constant=real))
        if isinstance(node, ast.Tuple | ast.List):
            node.elts = [self._value(e, f"{key}[{i}]") for i, e in enumerate(node.elts)]
        elif isinstance(node, ast.Dict):
            node.values = [self._value(v, f"{key}{{{i}}}") for i, v in enumerate(node.values)]
        return node

    def replace(self, node: ast.expr, site: Site) -> ast.expr:
        """The look-up that stands for `node` from now on."""
        self.sites[site.key] = site
        table = ast.Name(id=SIZES, ctx=ast.Load())
        lookup = ast.Subscript(value=table, slice=ast.Constant(site.key), ctx=ast.Load())
        return ast.copy_location(lookup, node)

    def follower(self, node: ast.Name, count: int) -> ast.expr:
        """A later use of a size in one shape: the same value, unless it is given one alone."""
        base = self.sites.get(node.id)
        if base is None or base.constant is not None:
            return node
        site = Site(node.id + "'" * count, base.own, node.id, follows=node.id)
        self.sites[site.key] = site
        get = ast.Attribute(ast.Name(id=SIZES, ctx=ast.Load()), "get", ast.Load())
        call = ast.Call(func=get, args=[ast.Constant(site.key), node], keywords=[])
        return ast.copy_location(call, node)


def _split(node: ast.stmt) -> list[ast.stmt]:
    """`height = width = 64` as two statements, so that each is a site of its own."""
    if isinstance(node, ast.Assign) and len(node.targets) > 1 and constant_int(node.value):
        return [
            ast.copy_location(ast.Assign(targets=[target], value=node.value), node)
            for target in node.targets
        ]
    return [node]


class _FunctionSites(ast.NodeTransformer):
    """Literals in module-level functions, where they can be a size: not indices, not arithmetic."""

    def __init__(self, finder: SizeFinder, function: ast.FunctionDef) -> None:
        self.finder = finder
        self.function = function
        self.count = 0
        self.tensors = 0
        self.place: tuple[int, int] | None = None

    def run(self) -> None:
        """Rewrites the function in place."""
        arguments = self.function.args
        arguments.defaults = [self._expression(node) for node in arguments.defaults]
        for node in self.function.body:
            self.visit(node)

    def visit(self, node: ast.AST) -> ast.AST:
        """Replaces a literal, passes over places where an integer is no size."""
        if isinstance(node, ast.expr):
            number = constant_int(node)
            if number is not None:
                return self._literal(node, number)
            real = constant_float(node)
            if real is not None and self.function.name == "get_init_inputs":
                return self._float(node, real)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node)
        if isinstance(node, ast.Subscript | ast.Compare | ast.keyword | ast.Slice):
            return node
        return self.generic_visit(node)

    def _arithmetic(self, node: ast.BinOp) -> ast.BinOp:
        """`torch.rand(64, 128) * 2 - 1`: the calls have sizes, the numbers beside them are none."""
        for side in ("left", "right"):
            operand = getattr(node, side)
            if isinstance(operand, ast.Call | ast.BinOp) and constant_int(operand) is None:
                setattr(node, side, self.visit(operand))
        return node

    def _literal(self, node: ast.expr, number: int) -> ast.expr:
        key = f"{self.function.name}#{self.count}"
        self.count += 1
        site = Site(key, number, place=self.place)
        return self.finder.replace(node, site) if number >= 1 else node

    def _shape(self, parts: list[ast.expr]) -> list[ast.expr]:
        """The sizes of one input, each with its tensor and dimension."""
        made: list[ast.expr] = []
        for dimension, part in enumerate(parts):
            if isinstance(part, ast.Tuple | ast.List):
                part.elts = self._shape(part.elts)
                made.append(part)
            else:
                self.place = (self.tensors, dimension)
                made.append(self._expression(part))
        self.place = None
        return made

    def _float(self, node: ast.expr, value: float) -> ast.expr:
        key = f"{self.function.name}#{self.count}"
        self.count += 1
        return self.finder.replace(node, Site(key, 0, constant=value))

    def _separated(self, parts: list[ast.expr]) -> list[ast.expr]:
        """A shape in which each use of a name after the first is a site of its own."""
        seen: dict[str, int] = {}
        made: list[ast.expr] = []
        for part in parts:
            if isinstance(part, ast.Tuple | ast.List):
                part.elts = self._separated(part.elts)
            elif isinstance(part, ast.Name):
                seen[part.id] = seen.get(part.id, -1) + 1
                part = self.finder.follower(part, seen[part.id]) if seen[part.id] else part
            made.append(part)
        return made

    def _call(self, node: ast.Call) -> ast.AST:
        func = node.func
        if isinstance(func, ast.Attribute):
            if func.attr in SEEDERS and self.function.name in INPUT_FUNCTIONS:
                node.args = [ast.copy_location(ast.Name(id=SEED, ctx=ast.Load()), node)]
                return node
            func.value = self._expression(func.value)
        self._bound(node)
        free = isinstance(func, ast.Name)
        factory = isinstance(func, ast.Attribute) and func.attr in FACTORIES
        if factory and self.function.name == "get_inputs":
            node.args = self._separated(self._shape(node.args))
            self.tensors += 1
        else:
            node.args = [
                self._expression(part) if free or factory or not _numbers(part) else part
                for part in node.args
            ]
        for word in node.keywords:
            if free or word.arg in ("size", "shape", "high"):
                word.value = self._expression(word.value)
        return node

    def _bound(self, node: ast.Call) -> None:
        """Replaces the literal that ends the range of `randint`, by place or by name."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "randint":
            return
        place = len(node.args) - 2
        if place in (0, 1):
            node.args[place] = self._end_of_range(node.args[place])
        for word in node.keywords:
            if word.arg == "high":
                word.value = self._end_of_range(word.value)

    def _end_of_range(self, node: ast.expr) -> ast.expr:
        number = constant_int(node)
        if number is None or number < 1:
            return node
        key = f"{self.function.name}#{self.count}"
        self.count += 1
        return self.finder.replace(node, Site(key, number, bounds=True))

    def _expression(self, node: ast.expr) -> ast.expr:
        changed = self.visit(node)
        return changed if isinstance(changed, ast.expr) else node


def _numbers(node: ast.expr) -> bool:
    """True for an integer or a plain sequence of them: a dimension, a permutation, a view."""
    if isinstance(node, ast.Tuple | ast.List):
        return all(constant_int(part) is not None for part in node.elts)
    return constant_int(node) is not None
