"""Builtins in the abstract run: names looked up by text, containers, decorators, operators.

The rule: a name in constant text is the name itself; one that is not constant stands for any.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import Any

from assay.guard.arguments import Arguments
from assay.guard.library_names import is_generator
from assay.guard.python_kernels import makes_kernel
from assay.guard.reach import SUBCLASS_MAKERS
from assay.guard.tags import Origin, Tag, Weight
from assay.guard.texts import outlined, texts
from assay.guard.trace_code import CodeTrace
from assay.guard.values import (
    ANY_NAME,
    NOTHING,
    Box,
    BoxObject,
    ClassRef,
    Function,
    Instance,
    InstanceObject,
    Library,
    Lost,
    Method,
    Partial,
    Property,
    Ref,
    Scope,
    Value,
    join,
    ref,
)

_PROPERTIES = ("property", "cached_property", "abstractproperty")
_NUMBERS = frozenset("int float bool complex hash len id ord chr bin hex".split())
_CONTAINERS = frozenset("list tuple set frozenset sorted reversed iter next enumerate dict".split())
_DISPATCH = "functools.singledispatch"
_DECORATORS = frozenset(
    """functools.wraps functools.lru_cache functools.cache functools.singledispatch torch.no_grad
    torch.inference_mode torch.enable_grad builtins.staticmethod builtins.classmethod
    builtins.property contextlib.contextmanager torch._dynamo.disable torch.compiler.disable
    torch.jit.ignore torch.jit.unused torch.library.impl torch.library.register_fake
    torch.amp.custom_fwd torch.cuda.amp.custom_fwd torch.amp.custom_bwd functools.cached_property
    torch.cuda.amp.custom_bwd dataclasses.dataclass torch.jit.export
    torch.library.custom_op""".split()
)


class BuiltinTrace(CodeTrace):
    """Calls builtins and the standard functions that look names up."""

    def call_builtin(
        self, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value | None:
        """The value of such a call; None where the name is an ordinary library function."""
        root, _, base = name.partition(".")
        if name.split("()", 1)[0] in _DECORATORS:
            return self._decorate(name, given)
        if root == "builtins":
            return self._builtin(base, given, node, scope)
        code = self.code_call(name, given, node, scope)
        if code is not None:
            return code
        if name in SUBCLASS_MAKERS:
            return self._subclass(given)
        if name.startswith("operator."):
            return self._operator(base, given, node, scope)
        if name.startswith("torch.ops."):
            return self._own_operator(name, given, node, scope)
        if name.endswith("().impl") and name.startswith("torch.library.Library"):
            self.custom_operators[given.get(0).text() or ""] = given.get(1)
            return NOTHING
        return None

    def transforms(self, name: str) -> bool:
        """True where a decorator makes something else of a function: a kernel, an operator."""
        own = name.startswith("torch.library.custom_op") or name.endswith(_PROPERTIES)
        return own or makes_kernel(name) or is_generator(name) or name == _DISPATCH

    def _decorate(self, name: str, given: Arguments) -> Value:
        """Decorators that keep the function what it is."""
        functions = [v for v in given.positional if _callable_parts(v)]
        if functions and name.endswith(_PROPERTIES):
            return ref(Property(functions[0], given.get(1) if given.get(1).refs else None))
        if functions and name == _DISPATCH:  # which of its functions is called is not followed
            return join([functions[0], ref(Lost())])
        if name.startswith("torch.library.custom_op"):
            title = given.get(0, "name").text()
            if title is not None:
                return ref(Library(f"torch.library.custom_op():{title}"))
            if functions and ":" in name:
                self.custom_operators[name.split(":", 1)[1].split("::")[-1]] = functions[0]
        return functions[0] if functions else ref(Library(name if "()" in name else name + "()"))

    def _subclass(self, given: Arguments) -> Value:
        """A tensor made as an instance of a class: what it holds is up to that class."""
        classes = [r.object for v in given.all for r in v.refs if isinstance(r, ClassRef)]
        made: list[Ref] = [Instance(InstanceObject(c)) for c in classes]
        return join([Value(frozenset(made)), self.unknown(self.tensor_tags(given.all))])

    def _own_operator(
        self, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value | None:
        """`torch.ops.mine.f(x)`: an operator the candidate registered, else unknown."""
        parts = name.split(".")
        if len(parts) < 4 or parts[2] in ("aten", "prims", "mkldnn", "quantized"):
            return None
        known = self.custom_operators.get(parts[3])
        return self.call(known or NOTHING, given, node, scope)

    def _operator(self, base: str, given: Arguments, node: ast.AST, scope: Scope) -> Value | None:
        if base == "attrgetter":
            return ref(Partial(ref(Library("operator.getattr_path")), given.positional))
        if base == "getattr_path":
            value = given.positional[-1] if given.positional else NOTHING
            for part in (given.get(0).text() or "").split("."):
                value = self.attribute(value, part)
            return value
        if base == "methodcaller":
            return ref(Partial(ref(Library("operator.call_method")), given.positional))
        if base == "call_method" and len(given.positional) >= 2:
            name = given.get(0).text() or ""
            method = self.attribute(given.positional[-1], name)
            return self.call(method, Arguments(given.positional[1:-1]), node, scope)
        return None

    def _builtin(self, base: str, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        if base.startswith("property.") and given.positional:
            return self._property_part(base, given)
        if base in ("super().__new__", "object.__new__", "type.__new__", "super().__call__"):
            return self.make_plainly(base, given, node, scope)
        handler = getattr(self, "builtin_" + base, None)
        if handler is not None:
            result: Value = handler(given, node, scope)
            return result
        if base in ("str", "repr"):
            return join([self.told(given.all), outlined(texts(given.get(0)))])
        if base in _NUMBERS or base in ("any", "all"):
            return self.told(given.all)
        if base in ("bytes", "bytearray", "memoryview") and any(v.is_data for v in given.all):
            return self.same_data(list(given.all))
        if base in _CONTAINERS:
            return self._container(base, given, node, scope)
        if base.endswith(("object.__setattr__", "type.__setattr__", "setattr()")):
            return self.builtin_setattr(given, node, scope)
        if base in ("sum", "max", "min", "abs", "pow", "divmod", "round"):
            return self._arithmetic_builtin(base, given, self.place(node, scope))
        self.call_back(given, node, scope)
        return Value(
            frozenset((Library(f"builtins.{base}()"),)), self.scalar_of(given.all).buffers, True
        )

    def _property_part(self, base: str, given: Arguments) -> Value:
        """`@name.setter`: the same property, with one more function."""
        old = next((r for r in given.get(0).refs if isinstance(r, Property)), None)
        if old is None or base != "property.setter":
            return given.get(0)
        return ref(Property(old.getter, given.get(1)))

    @abstractmethod
    def make_plainly(self, base: str, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`super().__new__(cls)` and its kind; the class trace knows what they make."""

    def _arithmetic_builtin(self, base: str, given: Arguments, where: str) -> Value:
        values = [v for value in given.all for v in (value, self.contents(value))]
        if any(value.is_data for value in values):
            return self.compute(f"{base}()", Weight.LIGHT, values, where)
        return self.scalar_of(values)

    def _container(self, base: str, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        if base == "dict" and given.keywords:
            return ref(Box(BoxObject(dict(given.keywords))))
        inner = join([NOTHING, *(self.contents(value) for value in given.positional)])
        self.call_back(Arguments((), given.keywords), node, scope)
        if base == "next":
            return inner
        item = inner if base != "enumerate" else ref(Box(BoxObject({0: NOTHING, 1: inner})))
        return ref(Box(BoxObject(rest=item)))

    def builtin_getattr(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`getattr(a, "b")`: an attribute where the name is constant."""
        name = given.get(1).text()
        if name is not None:
            return join([self.attribute(given.get(0), name), *given.positional[2:]])
        libraries = [r for r in given.get(0).refs if isinstance(r, Library)]
        named: list[Ref] = [Library(f"{item.name}.computed_name") for item in libraries]
        found = join([Value(frozenset(named)), self.any_attribute(given.get(0))])
        return found if found.refs else ref(Method(given.get(0), "computed_name"))

    def builtin_setattr(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`setattr(a, "b", c)`."""
        name = given.get(1).text() or ANY_NAME
        self.set_attribute(given.get(0), name, given.get(2), self.place(node, scope))
        return NOTHING

    def builtin_id(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`id(a)`: a number, and the address of an object."""
        address = self.new_buffer({Tag(Origin.IDENTITY)})
        handle: frozenset[Ref] = frozenset((Library("builtins.id()"),))
        buffers = address.buffers | self.scalar_of(given.all).buffers
        return Value(handle, buffers, scalar=True)

    def builtin_hasattr(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`hasattr(a, b)`: not known."""
        return self.unknown_scalar()

    builtin_isinstance = builtin_hasattr
    builtin_callable = builtin_hasattr

    def unknown_scalar(self) -> Value:
        """A plain Python value nothing is known about."""
        return Value(frozenset((Library("builtins.object()"),)))

    def builtin_map(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`map(f, items)`."""
        items = tuple(self.contents(value) for value in given.positional[1:])
        return ref(Box(BoxObject(rest=self.call(given.get(0), Arguments(items), node, scope))))

    builtin_filter = builtin_map

    def builtin_zip(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`zip(a, b)`."""
        items: dict[Any, Value] = {
            position: self.contents(value) for position, value in enumerate(given.positional)
        }
        return ref(Box(BoxObject(rest=ref(Box(BoxObject(items))))))

    def builtin_range(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`range(n)`: numbers."""
        return self.scalar_of(given.all)

    def builtin_type(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`type(x)`, or a class made by a call."""
        classes: list[Ref] = [
            ClassRef(r.object.kind) for r in given.get(0).refs if isinstance(r, Instance)
        ]
        if len(given.positional) == 3:
            self.opaque = True
        if given.get(0).is_data:
            classes.append(Library("torch.Tensor"))
        return Value(frozenset(classes)) if classes else NOTHING

    def builtin_vars(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`vars(torch)`: a namespace."""
        names: list[Ref] = [
            Library(f"{r.name}.__dict__") for r in given.get(0).refs if isinstance(r, Library)
        ]
        own = [r for r in given.get(0).refs if isinstance(r, Instance | ClassRef)]
        if own:
            return self.attribute(given.get(0), "__dict__")
        return Value(frozenset(names)) if names else ref(Library("builtins.vars()"))


def _callable_parts(value: Value) -> bool:
    kinds = (Function, Partial, ClassRef)
    return any(
        isinstance(r, kinds) or type(r).__name__ in ("Kernel", "Generated") for r in value.refs
    )
