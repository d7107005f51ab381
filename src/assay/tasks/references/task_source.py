"""TaskSource: a task's module, executed as often as needed with other sizes and seeds.

The rule: a failure of the user's code is a TaskError of one line, and nothing it prints reaches
our stdout, which carries results only.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import linecache
import math
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from numpy.random.mtrand import get_bit_generator, set_bit_generator

from assay.data.task import Task
from assay.errors import TaskError
from assay.python_tree import module_tree
from assay.tasks.references.drawing.blank_memory import BlankMemory
from assay.tasks.references.drawing.device_left_out import DeviceLeftOut
from assay.tasks.references.drawing.extremes import Extremes
from assay.tasks.references.drawing.one_thread import one_thread
from assay.tasks.references.task_calls import announced
from assay.tasks.shapes.ended_loops import end_loops
from assay.tasks.shapes.source_sizes import (
    FACTORS,
    INPUT_FUNCTIONS,
    KEPT,
    SEED,
    SIZES,
    Site,
    SizeFinder,
)

DEFAULT = "default:"  # begins the key of a parameter that the task's own call does not give


@dataclass(frozen=True)
class InitCall:
    """How the module is constructed: `Model(*args, **kwargs)`."""

    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@contextlib.contextmanager
def user_code(task_id: str, what: str) -> Iterator[None]:
    """Runs the task's own code: prints go to stderr, warnings nowhere, failures to TaskError.

    It is announced, so that another process can end one that does not come back.
    """
    try:
        with (
            announced(f"task '{task_id}': {what}"),
            contextlib.redirect_stdout(sys.stderr),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")
            yield
    except TaskError:
        raise
    except (Exception, SystemExit) as error:
        text = " ".join(str(error).split())[:300]
        raise TaskError(
            f"task '{task_id}': {what} failed: {type(error).__name__}: {text}"
        ) from error


def seed_everything(seed: int) -> None:
    """Seeds every generator that a task may draw from.

    Not by `torch.manual_seed`: where no GPU was used yet it keeps the stack for later, 2 ms a call.
    """
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)
    random.seed(seed)
    np.random.seed(seed % (1 << 32))


_spare: list[np.random.BitGenerator] = []  # to make one takes 0.3 ms


@contextlib.contextmanager
def kept_generators() -> Iterator[None]:
    """Gives the caller its random generators back as they were.

    NumPy's is laid aside for another one: to read its state and to set it takes 0.3 ms, as long as
    many a reference. What a generator keeps of a pair of normal numbers is drawn anew.
    """
    own, other = get_bit_generator(), _spare.pop() if _spare else np.random.MT19937()
    saved = torch.get_rng_state(), random.getstate()
    set_bit_generator(other)
    try:
        yield
    finally:
        set_bit_generator(own)
        _spare.append(other)
        torch.set_rng_state(saved[0])
        random.setstate(saved[1])


class TaskModule:
    """One execution of the task's source with concrete sizes."""

    def __init__(
        self, task: Task, names: dict[str, Any], versions: Mapping[str, int] | None = None
    ) -> None:
        self.task = task
        self._names = names
        self._versions = versions or {}  # of defaults of the constructor, by parameter

    def inputs(self, seed: int) -> list[Any]:
        """What `get_inputs()` returns, as a list."""
        self._names[SEED] = seed
        with BlankMemory(), Extremes(), DeviceLeftOut(), one_thread():
            made = self._function("get_inputs")()
        if isinstance(made, Mapping):
            raise TaskError(f"task '{self.task.id}': get_inputs returned a dict, not a list")
        return list(made) if isinstance(made, list | tuple) else [made]

    def init_call(self) -> InitCall:
        """The task's own constructor call, with other values for defaults that are varied."""
        asked = self._asked_init()
        if not self._versions:
            return asked
        known = self.float_defaults(asked)
        other = {name: known[name] * FACTORS[n] for name, n in self._versions.items()}
        return InitCall(asked.args, {**asked.kwargs, **other})

    def float_defaults(self, init: InitCall) -> dict[str, float]:
        """Floats that the constructor takes by default and that `init` leaves as they are."""
        try:
            signature = inspect.signature(self._function(self.task.entry))
            given = signature.bind(*init.args, **init.kwargs).arguments
        except (TypeError, ValueError):  # built by an object that has no signature
            return {}
        floats = {n: p.default for n, p in signature.parameters.items() if n not in given}
        return {n: v for n, v in floats.items() if type(v) is float and v and math.isfinite(v)}

    def _asked_init(self) -> InitCall:
        """What `get_init_inputs()` asks for: positional values, or [list, dict], or a dict."""
        made = self._function("get_init_inputs")()
        if isinstance(made, Mapping):
            return InitCall((), dict(made))
        args = tuple(made) if isinstance(made, list | tuple) else (made,)
        if self._accepts(InitCall(args)):
            return InitCall(args)
        if len(args) == 2 and isinstance(args[0], list | tuple) and isinstance(args[1], dict):
            return InitCall(tuple(args[0]), args[1])
        if args and isinstance(args[-1], dict):
            return InitCall(args[:-1], args[-1])
        return InitCall(args)

    def arguments(self, init: InitCall) -> tuple[tuple[str, str], ...]:
        """The constructor's parameters by name, each with its value in text."""
        try:
            signature = inspect.signature(self._function(self.task.entry))
            bound = signature.bind(*init.args, **init.kwargs).arguments
        except (TypeError, ValueError):  # built by an object that has no signature
            return ()
        return tuple((name, repr(value)) for name, value in bound.items())

    def build(self, init: InitCall) -> torch.nn.Module:
        """A new instance of the reference."""
        with one_thread():
            made = self._function(self.task.entry)(*init.args, **init.kwargs)
        if not isinstance(made, torch.nn.Module):
            raise TaskError(f"task '{self.task.id}': {self.task.entry} is not a torch.nn.Module")
        return made

    def declared(self, name: str) -> Any:
        """What the source defines under a name; None where it does not."""
        return self._names.get(name)

    def _accepts(self, init: InitCall) -> bool:
        try:
            inspect.signature(self._function(self.task.entry)).bind(*init.args, **init.kwargs)
        except TypeError:
            return False
        return True

    def _function(self, name: str) -> Callable[..., Any]:
        found = self._names.get(name)
        if not callable(found):
            raise TaskError(f"task '{self.task.id}' has no {name}: define it at the top level")
        return found  # type: ignore[no-any-return]


class TaskSource:
    """The parsed and instrumented source."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._file = f"<task {task.id} {task.content_id}>"
        try:
            tree = module_tree(task.source)
            self.names_outside_inputs = _names_outside_inputs(tree)
            self._names = {name: _names_in(tree, name) for name in INPUT_FUNCTIONS}
            finder = SizeFinder(tree)
            end_loops(tree)
            self._code = compile(tree, self._file, "exec")
        except (SyntaxError, ValueError) as error:
            raise TaskError(f"task '{task.id}' is not Python: {error}") from error
        self.sites: dict[str, Site] = finder.sites
        self._kept: dict[str, dict[str, Any]] = {}
        lines = task.source.splitlines(keepends=True)
        # torch.jit and inspect read the source through linecache
        linecache.cache[self._file] = (len(task.source), None, lines, self._file)

    def sites_by_promise(self) -> list[Site]:
        """Sites in the order in which they are likely to be sizes: those of inputs alone first."""

        def place(site: Site) -> int:
            used = [
                (site.follows or site.key).partition("[")[0] in names
                or site.key.startswith(f"{function}#")
                for function, names in self._names.items()
            ]
            return {(True, False): 0, (True, True): 1, (False, True): 2}.get((used[0], used[1]), 3)

        return sorted(self.sites.values(), key=place)

    def module(self, sizes: Mapping[str, int]) -> TaskModule:
        """The source executed with `sizes` (by site key) in place of its own integers.

        A key that begins with DEFAULT numbers the version of a default of the constructor.
        """
        name = f"assay_task_{self.task.content_id}"
        module = ModuleType(name)
        module.__file__ = self._file
        table = {
            key: site.at(sizes.get(key, site.own))
            for key, site in self.sites.items()
            if key in sizes or not site.follows
        }
        kept = self._kept.setdefault(repr(table), {})
        vars(module).update({SIZES: table, SEED: 0, KEPT: kept})
        sys.modules[name] = module  # dataclasses look their module up by name
        with user_code(self.task.id, "loading"), _siblings_importable(self.task.origin):
            exec(self._code, vars(module))  # a task is the user's own code
        begin = len(DEFAULT)
        versions = {key[begin:]: n for key, n in sizes.items() if key.startswith(DEFAULT)}
        return TaskModule(self.task, vars(module), versions)


@contextlib.contextmanager
def _siblings_importable(origin: str) -> Iterator[None]:
    """Lets a task import files beside it; last on the path, so that they shadow nothing."""
    folder = str(Path(origin).parent) if origin.endswith(".py") else ""
    if folder:
        sys.path.append(folder)
    try:
        yield
    finally:
        if folder:
            sys.path.remove(folder)


def _names_in(tree: ast.Module, function: str) -> frozenset[str]:
    """Names that one module-level function reads."""
    nodes = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function]
    return frozenset(p.id for n in nodes for p in ast.walk(n) if isinstance(p, ast.Name))


def _names_outside_inputs(tree: ast.Module) -> frozenset[str]:
    """Names that classes and other functions read: changing them changes the module itself."""
    used: set[str] = set()
    for node in tree.body:
        is_code = isinstance(node, ast.ClassDef | ast.FunctionDef)
        if is_code and getattr(node, "name", "") not in INPUT_FUNCTIONS:
            parts = ast.walk(node)
            used |= {n.id for n in parts if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return frozenset(used)
