"""Classes in the abstract run: bodies, decorators, metaclasses, and what `super()` finds.

The rule: a class definition runs its body, then everything of the candidate that has a say in the
class: its metaclass, its bases, its decorators.
"""

from __future__ import annotations

import ast

from assay.guard.arguments import Arguments
from assay.guard.trace_builtins import BuiltinTrace
from assay.guard.values import (
    Box,
    BoxObject,
    ClassObject,
    ClassRef,
    Constant,
    Instance,
    InstanceObject,
    Library,
    Ref,
    Scope,
    Super,
    Value,
    join,
    ref,
)


class ClassTrace(BuiltinTrace):
    """Runs class definitions."""

    def do_ClassDef(self, node: ast.ClassDef, scope: Scope) -> None:
        """A class: its body runs, its methods wait."""
        bases = tuple(self.evaluate(base, scope) for base in node.bases)
        keywords = {k.arg or "**": self.evaluate(k.value, scope) for k in node.keywords}
        attrs = Scope(scope.module, {}, scope, is_class=True)
        held = ClassObject(node.name, node, attrs, bases)
        chosen = keywords.pop("metaclass", Value())
        inherited = [meta for base in held.base_classes() for meta in base.metaclasses]
        metas = [r.object for r in chosen.refs if isinstance(r, ClassRef)]
        held.metaclasses = tuple(dict.fromkeys([*metas, *inherited]))
        scope.names[node.name] = ref(ClassRef(held))
        self.run_body(node.body, attrs)
        value = self._by_metaclass(ClassRef(held), keywords)
        self._tell_bases(ClassRef(held), keywords)
        for decorator in reversed(node.decorator_list):
            maker = self.evaluate(decorator, scope)
            own = Value(frozenset(r for r in maker.refs if not isinstance(r, Library)))
            if own.refs:
                made = self.call(own, Arguments((value,)), node, scope)
                value = made if made.refs else value
        scope.names[node.name] = value

    def _by_metaclass(self, held: ClassRef, keywords: dict[str, Value]) -> Value:
        """The class as its metaclass makes it."""
        kind = held.object
        space = ref(Box(BoxObject(kind.attrs.names)))
        bases = ref(Box(BoxObject(dict(enumerate(kind.bases)))))
        given = (ref(Constant(kind.name)), bases, space)
        value = ref(held)
        for meta in kind.metaclasses:
            creator = meta.find("__new__")
            if creator is not None:
                whole = Arguments((ref(ClassRef(meta)), *given), keywords)
                self.making.append(held)
                made = self.call(creator, whole, kind.node, kind.attrs)
                self.making.pop()
                value = made if made.refs else value
        self.special_call(held, "__init__", Arguments(given, keywords))
        return value

    def _tell_bases(self, held: ClassRef, keywords: dict[str, Value]) -> None:
        """`__init_subclass__` of the bases, `__set_name__` of what the body holds."""
        kind = held.object
        for base in kind.lineage()[1:]:
            hook = base.attrs.names.get("__init_subclass__")
            if hook is not None:
                given = Arguments((), keywords)
                self.call(self.bound(hook, ref(held)), given, kind.node, kind.attrs)
                break
        for name, value in list(kind.attrs.names.items()):
            self.specials(value, "__set_name__", ref(held), ref(Constant(name)))

    def builtin_super(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`super()`: the object or class, seen as the bases behind the class of this method."""
        owners, home = self._explicit_super(given) if given.positional else self._caller()
        found: list[Ref] = []
        for owner in owners.refs:
            if isinstance(owner, Instance | ClassRef):
                kind = owner.object.kind if isinstance(owner, Instance) else owner.object
                kinds = [*kind.lineage(), *(k for m in kind.metaclasses for k in m.lineage())]
                after = next((k for k in kinds if k.attrs is home), kind)
                found.append(Super(owner, after))
        return Value(frozenset(found)) if found else ref(Library("builtins.super()"))

    def _explicit_super(self, given: Arguments) -> tuple[Value, Scope | None]:
        homes = [r.object.attrs for r in given.get(0).refs if isinstance(r, ClassRef)]
        return given.get(1), homes[0] if homes else None

    def _caller(self) -> tuple[Value, Scope | None]:
        """The first parameter of the method that is running, and its class."""
        for frame in reversed(self.frames):
            arguments = getattr(frame.node, "args", None)
            names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)] if arguments else []
            if names and frame.scope.parent is not None and frame.scope.parent.is_class:
                return frame.scope.names.get(names[0], Value()), frame.scope.parent
        return Value(), None

    def make_plainly(self, base: str, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`super().__new__(cls)`: an object of the class, or the class a metaclass is making."""
        classes = [r for r in given.get(0).refs if isinstance(r, ClassRef)]
        if base == "super().__call__":
            rest = Arguments(given.positional[1:], given.keywords)
            return join([self.construct(item, rest, node, scope) for item in classes] or [Value()])
        if self.making and len(given.positional) >= 4:
            made = self.making[-1]
            for item in given.positional[-1].refs:
                if isinstance(item, Box):
                    made.object.attrs.names.update(item.object.items)
            return ref(made)
        objects: list[Ref] = [Instance(InstanceObject(item.object)) for item in classes]
        return join([Value(frozenset(objects)), self.told(given.all)])
