"""FamilyFunction: one function of a family, with what its decorator declares.

The rule: everything is a literal. A function without `@task` is a helper, or the library's own call
for the task before it where it is called `NAME_vendor`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from assay.errors import UsageError
from assay.tasks.families.argument_draw import ArgumentDraw

DECORATOR = "task"
SUFFIXES = {"float32": "", "float16": "_fp16", "bfloat16": "_bf16"}


class Declared(BaseModel):
    """What `@task(...)` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    category: str  # KernelBench-X's
    kerneleval: str  # operator category of KernelEval
    level: str  # K1 to K4 of the rubric
    source: str = "aten"  # of the operation: aten, serving, blas or model
    difficulty: str = "easy"  # easy, medium, hard
    backward: bool = False  # whether its gradients are a task too
    library: bool = False  # the reference is one call of the library already
    dtypes: tuple[str, ...] = ("float32",)  # one task each
    own: dict[str, int] = {}  # other own sizes than the family's
    high: dict[str, int] = {}  # other largest sizes
    low: dict[str, int] = {}  # other smallest sizes
    contract: dict[str, Any] | None = None
    tags: tuple[str, ...] = ()

    def all_tags(self) -> tuple[str, ...]:
        """As `Task.tags` has them."""
        return (
            f"category:{self.category}",
            f"kerneleval:{self.kerneleval}",
            f"rubric:{self.level}",
            f"source:{self.source}",
            f"difficulty:{self.difficulty}",
            *self.tags,
        )


@dataclass(frozen=True)
class FamilyFunction:
    """A decorated function."""

    node: ast.FunctionDef
    declared: Declared
    arguments: tuple[ArgumentDraw, ...]
    where: str

    @property
    def name(self) -> str:
        """The id of its task."""
        return self.node.name

    @cached_property
    def title(self) -> str:
        """The first line of its docstring."""
        text = ast.get_docstring(self.node) or ""
        return text.strip().splitlines()[0].strip() if text.strip() else ""


def family_function(
    node: ast.FunctionDef, file: str, shared: Mapping[str, Any]
) -> FamilyFunction | None:
    """None for a function without the decorator; `shared` is said of all in the file."""
    where = f"{file}: {node.name}"
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call) and _named(decorator.func) == DECORATOR:
            return FamilyFunction(
                node, _declared(decorator, where, shared), _arguments(node, where), where
            )
    return None


def _named(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _declared(call: ast.Call, where: str, shared: Mapping[str, Any]) -> Declared:
    try:
        told = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        made = Declared.model_validate({**shared, **told})
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError(f"{where}: @task {place}: {first['msg']}") from error
    except ValueError as error:
        raise UsageError(f"{where}: @task takes literals only") from error
    unknown = [dtype for dtype in made.dtypes if dtype not in SUFFIXES]
    if unknown:
        raise UsageError(f"{where}: dtypes {unknown} are none of {sorted(SUFFIXES)}")
    return made


def _arguments(node: ast.FunctionDef, where: str) -> tuple[ArgumentDraw, ...]:
    """Those that are drawn; the others keep their defaults and have to come last."""
    every = node.args.args
    made = [ArgumentDraw.of(one.arg, one.annotation, where) for one in every]
    drawn = tuple(one for one in made if one is not None)
    if tuple(made[: len(drawn)]) != drawn:
        raise UsageError(f"{where}: drawn arguments come first")
    if len(every) - len(drawn) > len(node.args.defaults):
        raise UsageError(f"{where}: an argument that is not drawn needs a default")
    return drawn
