"""Values of the abstract interpretation: what an expression may be, and which data it may hold.

The rule: a value is a union. `refs` are the program objects it may be, `buffers` the storage it may
share; two names of one tensor share its buffer, so what a kernel writes through one is seen through
the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar

from assay.source_analysis.interpreter.tags import Origin, Tag

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(eq=False, slots=True)
class Buffer:
    """Storage. `fresh` storage was allocated by the candidate, so a kernel may write it."""

    tags: set[Tag] = field(default_factory=set)
    fresh: bool = False
    addresses: frozenset[Buffer] = frozenset()  # storage whose address may be written in it


@dataclass(eq=False, slots=True)
class Scope:
    """Names visible in a block of code."""

    module: str  # path of the file, for places
    names: dict[str, Value] = field(default_factory=dict)
    parent: Scope | None = None
    outer_names: set[str] = field(default_factory=set)  # declared global or nonlocal
    is_class: bool = False

    def place(self, node: ast.AST) -> str:
        """`kernel.py:12` for a node."""
        return f"{self.module}:{getattr(node, 'lineno', 0)}"

    def find(self, name: str) -> Value | None:
        """Look a name up through enclosing scopes; class bodies are skipped from inside."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names and (scope is self or not scope.is_class):
                return scope.names[name]
            scope = scope.parent
        return None

    def home(self, name: str) -> Scope:
        """The scope an assignment to this name changes."""
        if name not in self.outer_names:
            return self
        scope = self.parent
        while scope is not None and scope.parent is not None and name not in scope.names:
            scope = scope.parent
        return scope or self


@dataclass(eq=False, slots=True)
class Class:
    """A class the candidate defines."""

    name: str
    node: ast.ClassDef
    attrs: Scope
    bases: tuple[Value, ...]
    metaclasses: tuple[Class, ...] = ()  # that the candidate defines itself

    def find(self, name: str) -> Value | None:
        """Look an attribute up through the candidate's own bases."""
        return next((k.attrs.names[name] for k in self.lineage() if name in k.attrs.names), None)

    def lineage(self) -> list[Class]:
        """The class and the candidate's own bases, in the order attributes are looked up."""
        found = [self, *(kind for base in self.base_classes() for kind in base.lineage())]
        return list(dict.fromkeys(reversed(found)))[::-1]

    def base_classes(self) -> list[Class]:
        """Bases that the candidate defines itself."""
        return [item for base in self.bases for item in base.of(Class)]

    def library_bases(self) -> set[str]:
        """Dotted names of library classes it derives from, however far up."""
        own = {item.name for base in self.bases for item in base.of(Library)}
        return own.union(*(base.library_bases() for base in self.base_classes()))

    def call(self, *given: Value, keywords: dict[str, Value] | None = None) -> CallSite:
        """A call that the class itself makes, of one of its special methods."""
        return CallSite(self.attrs.place(self.node), self.attrs, given, keywords or {})


@dataclass(eq=False, slots=True)
class Instance:
    """An instance of a class the candidate defines."""

    kind: Class
    attrs: dict[str, Value] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class Box:
    """A list, tuple, set or dict: items under constant keys, and the rest."""

    items: dict[Any, Value] = field(default_factory=dict)
    rest: Value | None = None

    def values(self) -> list[Value]:
        """Everything that is in it."""
        return [*self.items.values(), self.rest or NOTHING]


@dataclass(frozen=True, slots=True)
class Constant:
    """A Python constant."""

    value: object


@dataclass(frozen=True, slots=True)
class Outline:
    """Text that is known in part: `*` stands for whatever is not known."""

    text: str


@dataclass(frozen=True, slots=True)
class Library:
    """A module, class or function the candidate does not define, by its dotted name."""

    name: str


@dataclass(frozen=True, slots=True)
class FunctionValue:
    """A function, lambda or method of the candidate."""

    node: FunctionNode
    scope: Scope
    bound: Value | None = None


@dataclass(frozen=True, slots=True)
class Kernel:
    """Something whose call runs the candidate's own kernel."""

    name: str
    where: str
    tags: frozenset[Tag] = frozenset()  # library computations inside it
    own: bool = True  # False where it holds nothing but library calls


@dataclass(frozen=True, slots=True)
class Extension:
    """A built module or shared object of the candidate; its attributes are kernels."""

    where: str


@dataclass(frozen=True, slots=True)
class Layer:
    """An instance of a library's module class (nn.Linear): parameters, and a forward."""

    name: str
    where: str
    weights: Buffer


@dataclass(frozen=True, slots=True)
class Method:
    """An attribute of a data value, not yet called."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Partial:
    """A callable with some arguments given."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Generated:
    """A callable that a compiler made from torch code."""

    name: str
    where: str


@dataclass(frozen=True, slots=True)
class Property:
    """A function whose value is what an attribute reads as."""

    getter: Value
    setter: Value | None = None


@dataclass(frozen=True, slots=True)
class Super:
    """An object or class, seen as the bases behind one of its classes."""

    owner: Instance | Class
    after: Class


@dataclass(frozen=True, slots=True)
class Untracked:
    """Something the analysis lost sight of: code of the candidate may be behind it."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A plain value that is not known, such as a size, beside the constants that it may be."""


Ref: TypeAlias = (
    Constant | Library | FunctionValue | Class | Instance | Kernel | Extension | Layer | Method
    | Box | Partial | Generated | Outline | Property | Super | Untracked
    | Unsettled
)  # fmt: skip
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression may be."""

    refs: frozenset[Ref] = frozenset()
    buffers: frozenset[Buffer] = frozenset()
    scalar: bool = False  # Python numbers taken from data: tainted, but arithmetic on them is free

    def of(self, kind: type[R]) -> list[R]:
        """The program objects of one kind that it may be."""
        return [item for item in self.refs if isinstance(item, kind)]

    @property
    def data(self) -> Value:
        """The same value without the program objects that it may be."""
        return Value(buffers=self.buffers, scalar=self.scalar)

    @property
    def tags(self) -> set[Tag]:
        """Everything that may have gone into it, containers included."""
        return set[Tag]().union(*(buffer.tags for buffer in all_buffers(self)))

    @property
    def is_data(self) -> bool:
        """True where it may be a tensor or an array."""
        return bool(self.buffers) and not self.scalar

    def constant(self) -> Constant | None:
        """Its constant, where it is exactly one."""
        if len(self.refs) == 1 and not self.buffers:
            ref = next(iter(self.refs))
            return ref if isinstance(ref, Constant) else None
        return None

    @property
    def literal(self) -> object:
        """The Python object of its constant; None where it has none."""
        constant = self.constant()
        return constant.value if constant is not None else None

    def text(self) -> str | None:
        """Its constant string, where it is one."""
        return self.literal if isinstance(self.literal, str) else None


NOTHING = Value()
ANY_NAME = "a computed name"  # the attribute that stands for those whose name is not known


def ref(one: Ref) -> Value:
    """The value that is exactly one thing."""
    return Value(frozenset((one,)))


def box(items: dict[Any, Value] | None = None, rest: Value | None = None) -> Value:
    """A container; `items` is taken as it is, so that a namespace stays shared."""
    return ref(Box(items if items is not None else {}, rest))


def class_of(item: Instance | Class) -> Class:
    """The class of an object; a class stands for itself."""
    return item.kind if isinstance(item, Instance) else item


def stored(*buffers: Buffer) -> Value:
    """The tensor that lies in some storage."""
    return Value(buffers=frozenset(buffers))


def join(values: Iterable[Value]) -> Value:
    """The union of values. It is a scalar only where every part that holds data is."""
    parts = list(values)
    if len(parts) == 1:
        return parts[0]
    refs = frozenset[Ref]().union(*(part.refs for part in parts))
    buffers = frozenset[Buffer]().union(*(part.buffers for part in parts))
    scalar = all(part.scalar for part in parts if part.buffers)
    return Value(refs, buffers, scalar and bool(buffers))


def either(values: Iterable[Value]) -> Value:
    """The union of what different ways through the code give.

    A way that gives nothing known leaves a constant of another way open: `size if full else 0` is
    not 0.
    """
    parts = list(values)
    made = join(parts)
    unknown = any(not part.refs and not part.buffers for part in parts)
    if unknown and made.refs and all(isinstance(item, Constant) for item in made.refs):
        return Value(made.refs | {Unsettled()}, made.buffers, made.scalar)
    return made


def is_argument(value: Value) -> bool:
    """True where it holds data of a tensor that the call was given."""
    return value.is_data and any(tag.origin is Origin.INPUT for tag in value.tags)


def all_buffers(value: Value, depth: int = 0) -> set[Buffer]:
    """Buffers of a value and of what it contains (three levels: enough for argument lists)."""
    found = set(value.buffers)
    if depth > 3:
        return found
    for item in value.refs:
        for part in _parts(item):
            found |= all_buffers(part, depth + 1)
    return found


def _parts(item: Ref) -> list[Value]:
    if isinstance(item, Box):
        return item.values()
    if isinstance(item, Method):
        return [item.receiver]
    if isinstance(item, Partial):
        return [item.function, *item.arguments, *(value for _, value in item.keywords)]
    if isinstance(item, Layer):
        return [stored(item.weights)]
    return []


@dataclass(frozen=True, slots=True)
class CallSite:
    """One call: where it stands and what it is given. A missing argument is nothing."""

    where: str
    scope: Scope
    positional: tuple[Value, ...] = ()
    keywords: dict[str, Value] = field(default_factory=dict)

    @property
    def all(self) -> list[Value]:
        """Every argument, named or not."""
        return [*self.positional, *self.keywords.values()]

    def get(self, position: int, name: str = "") -> Value:
        """An argument by place or by name."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[position] if position < len(self.positional) else NOTHING

    @property
    def first_literal(self) -> object:
        """The Python object of its first argument, if that is a constant."""
        return self.all[0].literal if self.all else None

    def given(self, *positional: Value, keywords: dict[str, Value] | None = None) -> CallSite:
        """A call at the same place with other arguments."""
        return replace(self, positional=positional, keywords=keywords or {})

    def after(self, count: int) -> CallSite:
        """The same call without its first positional arguments."""
        return replace(self, positional=self.positional[count:])

    def refs(self, kind: type[R]) -> list[R]:
        """The program objects of one kind among all arguments."""
        return [item for value in self.all for item in value.of(kind)]
