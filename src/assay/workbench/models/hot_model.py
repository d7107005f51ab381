"""HotModel: a model profiled in a process of its own, and its groups ranked.

    start the process -> read its answer -> limits and gains -> tasks on disk

The rule: the caller's process never imports the model. Whatever the process does, the answer is
text, or one sentence about what went wrong.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assay.data.record import content_id
from assay.devices.device_adapter import DeviceBackend
from assay.errors import TaskError, UsageError, reason_of
from assay.workbench.models.device_limits import DeviceLimits
from assay.workbench.models.gain_ranking import headroom, idle_words
from assay.workbench.models.hot_report import GroupKind, HotGroup, HotReport
from assay.workbench.models.model_answer import (
    FoundGroup,
    ModelAnswer,
    ModelFailure,
    ModelRequest,
)

TIMEOUT_S = 600.0
_MOST_WORDS = 4  # of a task's name; longer regions are shortened
_COSTLY_US = 1.0  # that the profiler costs an operation, from which on it is said
_OVERFULL = 1.05  # busy time over the forward's, from which on the profiler's cost is said


@dataclass(frozen=True)
class ModelFile:
    """A file with a model: its path, its class and its text."""

    path: Path
    entry: str
    source: str

    @classmethod
    def named(cls, name: str) -> ModelFile:
        """`MODEL.py` or `MODEL.py:Class`; a UsageError where it cannot be read."""
        text, colon, entry = name.rpartition(":")
        path = Path(text if colon and entry.isidentifier() else name)
        try:
            source = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the model {path}: {reason_of(error)}") from error
        return cls(path.resolve(), entry if colon and entry.isidentifier() else "Model", source)

    @property
    def source_id(self) -> str:
        """The hash of the text."""
        return content_id(self.source)


@dataclass(frozen=True)
class Ranked:
    """A report, and the text of each task that it names."""

    report: HotReport
    tasks: dict[str, str]

    def write(self, folder: Path) -> Path:
        """Every task as a file, and `hot.json`; the path of that."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.tasks.items():
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        place = folder / "hot.json"
        place.write_text(self.report.model_dump_json(indent=1) + "\n", encoding="utf-8")
        return place


def asked(
    model: ModelFile, device: DeviceBackend, training: bool, timeout_s: float = TIMEOUT_S
) -> ModelAnswer:
    """Run the model in a process; a TaskError says why that failed."""
    request = ModelRequest(
        path=str(model.path),
        entry=model.entry,
        device=device.torch_device,
        accelerated=device.accelerated,
        training=training,
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "request.json").write_text(request.model_dump_json(), encoding="utf-8")
        command = [sys.executable, "-m", "assay.workbench.models.model_process", place]
        try:
            ended = subprocess.run(
                command,
                capture_output=True,
                timeout=timeout_s,
                check=False,
                env=os.environ | device.environment(),
            )
        except subprocess.TimeoutExpired as error:
            raise TaskError(f"the model did not end within {timeout_s:.0f} s") from error
        return _read(folder / "answer.json", ended)


def _read(path: Path, ended: subprocess.CompletedProcess[bytes]) -> ModelAnswer:
    last = ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
    if not path.exists():
        raise TaskError(f"the model's process ended with {ended.returncode}: {' '.join(last)}")
    text = path.read_text("utf-8")
    try:
        return ModelAnswer.model_validate_json(text)
    except ValidationError:
        failure = ModelFailure.model_validate_json(text)
    raise TaskError(f"the model cannot be run: {failure.reason}")


@dataclass(frozen=True)
class Profiled:
    """Where an answer comes from."""

    model: ModelFile
    device: str
    device_name: str
    accelerated: bool
    training: bool


def ranked(
    answer: ModelAnswer,
    place: Profiled,
    limits: DeviceLimits,
    top: int,
    include_at_limit: bool = False,
) -> Ranked:
    """Groups by what a kernel could gain, with a task for each of the first `top`.

    Groups at their limit come after all others, and have a task only where that is asked for.
    """
    low, wall, high = _quartiles(answer.wall_us)
    scale = min(1.0, wall / answer.busy_us) if answer.busy_us > 0 else 1.0
    groups = [_priced(one, wall, limits, scale) for one in answer.groups]
    order = sorted(range(len(groups)), key=lambda i: _rank(groups[i]))
    names = task_names(place.model.path.stem, answer.groups)
    tasks: dict[str, str] = {}
    named = []
    for number in order:
        group, found = groups[number], answer.groups[number]
        reason = _no_task(group, found, include_at_limit)
        if not reason and len(tasks) >= top:
            reason = f"only the first {top} are cut out (--top)"
        if not reason:
            tasks[names[number]] = found.task_text
        named.append(
            group.model_copy(
                update={"task": "" if reason else names[number], "task_reason": reason}
            )
        )
    busy = min(answer.busy_us, wall)
    idle = 1.0 - busy / wall if wall > 0 else 0.0
    report = HotReport(
        model=str(place.model.path),
        entry=place.model.entry,
        source_id=place.model.source_id,
        device=place.device,
        device_name=place.device_name,
        torch=answer.torch,
        training=place.training,
        wall_us=wall,
        wall_low_us=low,
        wall_high_us=high,
        forwards=len(answer.wall_us),
        launch_us=answer.launch_us,
        busy_us=busy,
        idle_share=idle,
        limits_from=limits.source,
        advice=(*filter(None, [idle_words(idle, place.accelerated)]), *_advice(answer, wall)),
        groups=tuple(named),
        forward=answer.forward,
        untraced=answer.untraced,
    )
    return Ranked(report, tasks)


def _priced(found: FoundGroup, wall_us: float, limits: DeviceLimits, scale: float) -> HotGroup:
    """With its limit. `scale` is below 1 where the profile's forwards were slower than the rest."""
    time_us = found.time_us * scale
    least = limits.least_us(found.work)
    room = headroom(time_us, None if least is None else least * found.calls, wall_us)
    worth = found.kind is not GroupKind.REST
    return HotGroup(
        **found.model_dump(exclude={"task_text", "task_reason", "time_us"}),
        time_us=time_us,
        share=room.share,
        limit_us=least,
        limit_share=room.limit_share,
        most_speedup=room.most_speedup,
        gain=room.gain if worth else 0.0,
        bound=room.bound if worth else 1.0,
        at_limit=room.at_limit,
    )


def _rank(group: HotGroup) -> tuple[bool, bool, float, float]:
    """Its place: what is no operation last, before it what is at its limit, then by gain."""
    return group.kind is GroupKind.REST, group.at_limit, -group.gain, -group.time_us


def _no_task(group: HotGroup, found: FoundGroup, include_at_limit: bool) -> str:
    """Why a group has no task, however many are asked for; empty where it has one."""
    if not found.task_text:
        return found.task_reason
    if group.at_limit and not include_at_limit:
        return f"{100 * (group.limit_share or 0):.0f} % of its limit: --include-at-limit cuts it"
    return ""


def task_names(stem: str, groups: Sequence[FoundGroup]) -> list[str]:
    """`gpt_block_add_layer_norm`, numbered where it would stand twice.

    By the order of the graph, not by rank: two profiles of one model name its tasks alike.
    """
    found: list[str] = []
    for one in groups:
        words = one.label.split(" + ")
        kept = words if len(words) <= _MOST_WORDS else [*words[:3], f"and_{len(words) - 3}_more"]
        name = re.sub(r"\W+", "_", "_".join([stem, *kept])).strip("_")
        number, alone = 1, name
        while name in found:
            number += 1
            name = f"{alone}_{number}"
        found.append(name)
    return found


def _advice(answer: ModelAnswer, wall_us: float) -> list[str]:
    said = []
    if answer.profiler_us >= _COSTLY_US:
        said.append(
            f"the profiler cost every operation {answer.profiler_us:.3g} us, which was taken off"
        )
    if answer.busy_us > _OVERFULL * wall_us:
        said.append(
            f"while it was profiled the device was busy for {answer.busy_us / wall_us:.2f} times "
            "the forward without the profiler: times are scaled down by that"
        )
    if answer.untraced:
        said.append(f"no graph, so neither fusion nor tasks: {answer.untraced}")
    return said


def _quartiles(samples: Sequence[float]) -> tuple[float, float, float]:
    if len(samples) < 2:
        return (samples[0],) * 3
    low, middle, high = statistics.quantiles(samples, n=4, method="inclusive")
    return low, middle, high
