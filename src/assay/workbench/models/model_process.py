"""ModelProcess: the process in which a model is timed, profiled and traced.

    python -m assay.workbench.models.model_process FOLDER

reads `FOLDER/request.json` and writes `FOLDER/answer.json`: a ModelAnswer, or a ModelFailure.

The rule: the model runs here and nowhere else of this room; the caller only reads text. Its time is
taken without the profiler, which slows small operations down, and with the memory allocator in the
state in which the judge times: else every large result is mapped and faulted in anew.
"""

from __future__ import annotations

import statistics
import sys
import time
import traceback
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map

from assay.sandbox.child.timed_calls import FREED_BYTES
from assay.workbench.models.graph.forward_code import forward_code
from assay.workbench.models.graph.traced_model import AnnotatedRun, TracedModel, traced
from assay.workbench.models.model_answer import FoundGroup, ModelAnswer, ModelFailure, ModelRequest
from assay.workbench.models.node_groups import operation_groups, traced_groups
from assay.workbench.models.operation_times import (
    ModelTimes,
    device_times,
    host_times,
    without_profiler,
)
from assay.workbench.models.profiler_rows import profiled

_WARM_UP = 5
_FEWEST = 5


def main(folder: Path) -> int:
    """Answer, or say why not."""
    request = ModelRequest.model_validate_json((folder / "request.json").read_text("utf-8"))
    answer: ModelAnswer | ModelFailure
    try:
        answer = examined(request)
    except BaseException as error:  # the user's model may raise or exit in any way
        traceback.print_exc()
        first = (str(error).strip().splitlines() or [""])[0]
        answer = ModelFailure(reason=f"{type(error).__name__}: {first}")
    (folder / "answer.json").write_text(answer.model_dump_json(), encoding="utf-8")
    return 0


def examined(request: ModelRequest) -> ModelAnswer:
    """Time the plain model, then profile its graph, or the model itself where it has none."""
    model, inputs, made_with = _made(request)
    torch.empty(FREED_BYTES, dtype=torch.uint8)
    call = _training(model, inputs) if request.training else _inference(model, inputs)
    wall = wall_times(call, request)
    graph, untraced = _traced(model, inputs, request)
    run = call if graph is None else _inference(AnnotatedRun(graph.module).run, inputs)
    rows = profiled(run, request.profiled_forwards, request.accelerated)
    count = request.profiled_forwards
    if request.accelerated:
        times, profiler_us = device_times(rows), 0.0
    else:
        times, profiler_us = without_profiler(host_times(rows), count * statistics.median(wall))
    groups = _groups(graph, times, request)
    try:
        code = forward_code(graph.graph, made_with) if graph is not None else None
    except ValueError as error:
        code, untraced = None, str(error)
    return ModelAnswer(
        torch=str(torch.__version__),
        wall_us=tuple(wall),
        launch_us=statistics.median(launch_times(call, request)) if request.accelerated else 0.0,
        busy_us=times.busy_us / count,
        profiler_us=profiler_us,
        groups=tuple(groups),
        forward=code,
        untraced=untraced,
    )


def _groups(
    graph: TracedModel | None, times: ModelTimes, request: ModelRequest
) -> list[FoundGroup]:
    count = request.profiled_forwards
    if graph is None:
        return operation_groups(times.operations, count)
    return traced_groups(graph, times.operations, count, Path(request.path).stem)


def _made(request: ModelRequest) -> tuple[Any, list[Any], list[Any]]:
    """The model, its inputs and its constructor's arguments, in the mode that was asked for."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    module = _imported(Path(request.path))
    torch.manual_seed(0)
    made_with = list(module.get_init_inputs())
    model = getattr(module, request.entry)(*made_with)
    inputs = tree_map(
        lambda one: one.to(request.device) if isinstance(one, torch.Tensor) else one,
        list(module.get_inputs()),
    )
    return model.to(request.device).train(request.training), inputs, made_with


def _imported(path: Path) -> Any:
    sys.path.insert(0, str(path.parent))
    spec = spec_from_file_location("model", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path.name} is no Python module")
    module = module_from_spec(spec)
    sys.modules["model"] = module
    spec.loader.exec_module(module)
    return module


def _inference(run: Callable[..., Any], inputs: list[Any]) -> Callable[[], object]:
    def call() -> object:
        with torch.no_grad():
            return run(*inputs)

    return call


def _training(model: Any, inputs: list[Any]) -> Callable[[], object]:
    def call() -> object:
        model.zero_grad(set_to_none=True)
        outputs = [one for one in tree_leaves(model(*inputs)) if isinstance(one, torch.Tensor)]
        sum(one.sum() for one in outputs if one.requires_grad).backward()  # type: ignore[union-attr]
        return None

    return call


def wall_times(call: Callable[[], object], request: ModelRequest) -> list[float]:
    """Microseconds of each forward, by the device's own events where it has them."""
    for _ in range(_WARM_UP):
        call()
    timed = _event_time if request.accelerated else _clock_time
    found: list[float] = []
    end = time.perf_counter() + request.seconds
    while len(found) < request.most_forwards:
        found.append(timed(call))
        if time.perf_counter() > end and len(found) >= _FEWEST:
            break
    return found


def launch_times(call: Callable[[], object], request: ModelRequest) -> list[float]:
    """Microseconds that the host needs to hand a forward to a device that is not waited for."""
    found = []
    for _ in range(request.profiled_forwards):
        torch.cuda.synchronize()
        found.append(_clock_time(call))
    torch.cuda.synchronize()
    return found


def _clock_time(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return 1e6 * (time.perf_counter() - start)


def _event_time(call: Callable[[], object]) -> float:
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    start.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return 1e3 * float(start.elapsed_time(end))


def _traced(model: Any, inputs: list[Any], request: ModelRequest) -> tuple[TracedModel | None, str]:
    """The graph, where the model has one that gives the same results."""
    if request.training:
        return None, "a training step is profiled operation by operation"
    try:
        found = traced(model, inputs)
        with torch.no_grad():
            same = _same(model(*inputs), found.module(*inputs))
    except Exception as error:  # whatever a model's own Python raises while it is traced
        first = (str(error).strip().splitlines() or [""])[0]
        return None, f"{type(error).__name__}: {first}"[:300]
    if not same:
        return None, "the traced graph does not give the model's own results"
    return found, ""


def _same(own: Any, other: Any) -> bool:
    """Up to the noise of two runs; a model that is random has no graph that repeats it."""
    pairs = zip(tree_leaves(own), tree_leaves(other), strict=True)
    return all(
        torch.allclose(a, b, rtol=1e-2, atol=1e-3, equal_nan=True)
        for a, b in pairs
        if isinstance(a, torch.Tensor)
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
