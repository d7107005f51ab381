"""Containers and text in the abstract run: what their methods do.

The rule: a container gives out whatever was put into it; a generator that is sent something goes on
in a way that is not followed.
"""

from __future__ import annotations

from assay.guard.arguments import Arguments
from assay.guard.texts import formatted, joined, outlined
from assay.guard.trace import Phase
from assay.guard.trace_libraries import LibraryTrace
from assay.guard.values import NOTHING, Box, BoxObject, Constant, Value, join, ref

_TEXT_METHODS = frozenset(
    "lower upper strip lstrip rstrip title swapcase removeprefix removesuffix".split()
)
_GROWS = frozenset(
    "append add extend insert update setdefault appendleft put push __setitem__".split()
)
_HANDS_OUT = frozenset(
    """values items get pop popitem setdefault __getitem__ popleft result __next__
    __enter__""".split()
)


class ContainerTrace(LibraryTrace):
    """Calls methods of containers and of text."""

    def bytes_method(self, data: bytes, name: str) -> Value:
        """A method of constant bytes."""
        if name == "decode":
            return ref(Constant(data.decode("utf-8", "replace")))
        return NOTHING

    def text_method(self, text: str, name: str, given: Arguments) -> Value:
        """A method of constant text."""
        if name == "join":
            return self._joined_text(text, given.get(0))
        constants = [value.constant() for value in given.positional]
        if name in _TEXT_METHODS and not given.keywords and all(c is not None for c in constants):
            try:
                return ref(Constant(getattr(text, name)(*(c.value for c in constants if c))))
            except (TypeError, ValueError, IndexError, KeyError, AttributeError):
                return NOTHING
        return join([self._outlined_text(text, name), self.told(given.all)])

    def _joined_text(self, between: str, items: Value) -> Value:
        parts = self.spread(items)
        whole = len(parts) != 1 or parts[0].constant() is not None
        text = joined(parts, between) if whole and parts else NOTHING
        return join([text, self.told([items, *parts])])

    def _outlined_text(self, text: str, name: str) -> Value:
        if name == "format":
            return outlined([formatted(text)])
        if name in ("replace", "encode", "format_map", "expandtabs"):
            return outlined([text])
        return NOTHING

    def box_method(self, owner: Box, name: str, given: Arguments) -> Value:
        """A method of a container."""
        box = owner.object
        if name == "update":
            for key, value in given.keywords.items():
                self.journal.set_item(box.items, key, value)
        if name in _GROWS:
            added = [*given.all, *(self.contents(v) for v in given.all)]
            self.journal.set_rest(box, join([box.rest or NOTHING, *added]))
            if self.phase is Phase.FORWARD:
                self.kept.append((box.items, "*"))
        if name in ("keys", "clear", "index", "count"):
            return NOTHING
        if name == "get" or name == "pop":
            constant = given.get(0).constant()
            if constant is not None and constant.value in box.items:
                return box.items[constant.value]
        if name == "copy":
            return ref(owner)
        if name == "send":  # what a generator does with it is not followed
            return join([self.contents(ref(owner)), self.unknown(self.tensor_tags(given.all))])
        if name in _HANDS_OUT:
            inner = self.contents(ref(owner))
            pair = BoxObject({1: inner})
            return ref(Box(BoxObject(rest=ref(Box(pair))))) if name == "items" else inner
        return NOTHING
