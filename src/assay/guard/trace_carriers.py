"""Carriers in the abstract run: libraries that take the candidate's own things and hand them on.

The rule: a pool, a queue, a namespace or a C pointer gives back what it was given; where it is not
known how, it gives back something lost, never nothing.
"""

from __future__ import annotations

import ast
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.tags import Origin, Tag
from assay.guard.trace import Phase
from assay.guard.trace_threads import ThreadTrace
from assay.guard.values import (
    ANY_NAME,
    NOTHING,
    Box,
    BoxObject,
    Extension,
    Function,
    Instance,
    Kernel,
    Library,
    Lost,
    Partial,
    Ref,
    Scope,
    Value,
    all_buffers,
    join,
    ref,
)

_OWN = (Kernel, Extension, Function, Instance, Partial, Lost)
_PROMISES = ("().submit", "().apply_async")
_MAPS = ("().map", "().imap", "().imap_unordered", "().map_async")
_SAME = frozenset(
    """asyncio.run asyncio.create_task asyncio.ensure_future asyncio.wait_for asyncio.shield
    contextlib.closing contextlib.nullcontext types.MappingProxyType copy.copy
    copy.deepcopy""".split()
)
_PROTOTYPES = ("ctypes.CFUNCTYPE()", "ctypes.PYFUNCTYPE()", "ctypes.WINFUNCTYPE()")
_STORAGE = ("ctypes.Array", "ctypes.create_string_buffer")
_QUEUES = ("queue.", "_queue.", "multiprocessing.", "asyncio.Queue")
_PUTS = ("().put", "().put_nowait", "().send")
_MOST = 32  # things of its own that one kind of handle is followed with
_FORGETS = (
    "builtins.", "logging.", "warnings.", "inspect.", "functools.update_wrapper", "atexit.", "gc.",
    "sys.", "torch.", "numpy.", "time.", "math.", "os.", "threading.Thread", "threading.Timer",
)  # fmt: skip


class CarrierTrace(ThreadTrace):
    """Follows the candidate's own things through libraries."""

    def hand_over(self, name: str, given: Arguments, node: ast.AST, scope: Scope) -> Value | None:
        """Calls whose value is what they were given, or what a function they were given returns."""
        rest = given.positional[1:]
        if name.endswith(_PROMISES):
            work = Arguments(rest, given.keywords)
            return ref(Box(BoxObject(rest=self.call(given.get(0), work, node, scope))))
        if name == "asyncio.to_thread":
            return self.call(given.get(0), Arguments(rest, given.keywords), node, scope)
        if name.endswith("().run_in_executor") and rest:
            return self.call(rest[0], Arguments(rest[1:]), node, scope)
        if name.endswith(_MAPS) and rest:
            items = Arguments(tuple(self.contents(value) for value in rest))
            return ref(Box(BoxObject(rest=self.call(given.get(0), items, node, scope))))
        if name == "functools.reduce" and rest:
            items = Arguments((join([self.contents(rest[0]), *rest[1:]]), self.contents(rest[0])))
            return join([*rest[1:], self.call(given.get(0), items, node, scope)])
        if name in _SAME or name.endswith("().run_until_complete"):
            return given.get(0)
        if name == "asyncio.gather":
            return ref(Box(BoxObject(rest=join([NOTHING, *given.all]))))
        if name == "concurrent.futures.as_completed":
            return ref(Box(BoxObject(rest=self.contents(given.get(0)))))
        if name.endswith("().enter_context"):
            return self.entered(given.get(0))
        if name == "ctypes.memmove":
            for buffer in given.get(0).buffers:
                buffer.tags |= given.get(1).tags or {Tag(Origin.UNKNOWN)}
            return given.get(0)
        if name == "dataclasses.field":
            factory = given.keywords.get("default_factory")
            made = [self.call(factory, Arguments(), node, scope)] if factory else []
            return join([given.keywords.get("default", NOTHING), *made])
        pointer = self._function_pointer(name, given, node, scope)
        return pointer if pointer is not None else self._c_storage(name, given)

    def _function_pointer(
        self, name: str, given: Arguments, node: ast.AST, scope: Scope
    ) -> Value | None:
        """`CFUNCTYPE(...)(what)`: a callback, a symbol of an object, or code at an address."""
        if name not in _PROTOTYPES or self.carries_library(given):
            return None
        self.call_back(given, node, scope)
        own = own_parts(given.all)
        symbols = self.any_attribute(Value(frozenset(r for r in own if isinstance(r, Extension))))
        others = Value(frozenset(r for r in own if not isinstance(r, Extension)))
        return join([symbols, others]) if own else ref(Lost())

    def _c_storage(self, name: str, given: Arguments) -> Value | None:
        """An array or buffer of C: storage that a kernel may write, or a table of addresses."""
        if name not in _STORAGE:
            return None
        made = self.new_buffer(self.tensor_tags(given.all))
        for buffer in made.buffers:
            buffer.addresses = self.told(given.all).buffers
        return Value(frozenset((Library(f"{name}()"),)), made.buffers, scalar=True)

    def carries_library(self, given: Arguments) -> bool:
        """True where an argument is a function of a compute library."""
        names = [r.name for v in given.all for r in v.refs if isinstance(r, Library)]
        return any(name.startswith("native") for name in names)

    def entered(self, value: Value) -> Value:
        """What `with value as name` binds."""
        parts = [Value(buffers=value.buffers, scalar=value.scalar)]
        for item in value.refs:
            made = self.special(item, "__enter__") or self.special(item, "__aenter__")
            if isinstance(item, Box):
                made = self.contents(ref(item))
            parts.append(made if made is not None else ref(item))
        return join(parts)

    def carried(self, name: str, given: Arguments, made: Value) -> Value:
        """The value of a library call that may keep or hand on what it was given."""
        if name.startswith("ctypes."):
            return join([made, Value(own_parts(given.all))])
        if name.startswith(_FORGETS) or made.is_data:
            return made
        handle = name.rpartition("().")[0]
        handle = f"{handle}()" if handle else f"{name}()"
        self._hold(handle, given, takes_data=name.startswith(_QUEUES))
        if name.startswith(_QUEUES) and name.endswith(_PUTS):
            self.hand_away(given.all)
        held = self.attached.get(handle, {}).get(ANY_NAME)
        is_method = handle != f"{name}()"
        return join([made, held]) if held is not None and is_method else made

    def _hold(self, handle: str, given: Arguments, takes_data: bool) -> None:
        named = [(ANY_NAME, value) for value in given.positional]
        for name, value in (*named, *given.keywords.items()):
            data = frozenset(all_buffers(value)) if takes_data else frozenset()
            kept = Value(own_parts([value]), data)
            if kept != NOTHING:
                held = self.attached.setdefault(handle, {})
                whole = join([held.get(name, NOTHING), kept])
                held[name] = whole if len(whole.refs) <= _MOST else ref(Lost())

    def hand_away(self, values: list[Value]) -> None:
        """Storage given to what is not followed (another thread): who writes it is not known."""
        for value in values if self.phase is Phase.FORWARD else []:
            for buffer in all_buffers(value):
                if buffer.fresh:
                    buffer.tags.add(Tag(Origin.UNKNOWN))

    def attach(self, handle: str, name: str, value: Value) -> None:
        """`handle.name = value` on an object of a library: it is found there again."""
        if handle.startswith("ctypes."):  # an address in a C object
            self.hand_away([value])
        elif own_parts([value]) or value.is_data or any(isinstance(r, Box) for r in value.refs):
            self.keep(self.attached.setdefault(handle, {}), name, value)

    @abstractmethod
    def keep(self, holder: dict[str, Value], name: str, value: Value) -> None:
        """Store into something that outlives the call; the method trace knows how."""


def own_parts(values: list[Value], depth: int = 0) -> frozenset[Ref]:
    """Code and objects of the candidate among values and in what they contain."""
    found: set[Ref] = set()
    for value in values:
        found |= {item for item in value.refs if isinstance(item, _OWN)}
        boxes = [item.object for item in value.refs if isinstance(item, Box)]
        inner = [v for box in boxes for v in (*box.items.values(), box.rest or NOTHING)]
        if inner and depth < 3:
            found |= own_parts(inner, depth + 1)
    return frozenset(found)
