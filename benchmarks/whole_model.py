"""Two kernels put back into a GPT block and a ResNet block: predicted beside measured gain.

    python benchmarks/whole_model.py --device cpu|cuda [--only gpt|resnet] [--out FILE.json]
        [--stop-after-s 600]

Each model of `examples/models` is profiled (`assay hot`), two of its fused regions are replaced by
the kernels of `examples/models/kernels` (`assay apply`), and the whole is judged and timed. On a
GPU the sizes below take the place of the file's own. Prints where the time goes, every verdict
and speedup, then predicted and measured speedup with their difference in per cent. Exit code 1
where a kernel or a model is not accepted or not timed. Meant for a machine on which nothing else
runs; about three minutes on an H200 for both.

The record is written after each profile and after each model; the same command goes on with what
is not complete in it. A model that fails is a row with the reason. When the seconds are over, and
on SIGTERM, what is under way is dropped, and the record says so.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from run_end import RunEnd, TimeIsUpError

from assay.app.models.model_text import apply_page, hot_page
from assay.data.settings import Cache, Level, Settings
from assay.devices.device_registry import for_judging
from assay.devices.survey import survey
from assay.engine.judge import Judge
from assay.errors import AssayError
from assay.report.console import result_console
from assay.workbench.models.apply_kernels import ApplyRequest, apply, judged_by, kernels_named
from assay.workbench.models.apply_report import ApplyReport
from assay.workbench.models.device_limits import limits_of
from assay.workbench.models.hot_model import ModelFile, Profiled, Ranked, asked, ranked

MODELS = Path(__file__).parents[1] / "examples" / "models"
NEAR_PERCENT = 10.0
CLOSING_S = 8.0  # of the seconds, for the end of what is under way


@dataclass(frozen=True)
class Trial:
    """A model, the sizes that a GPU gets, and the kernels for its tasks, by the task's end."""

    file: str
    sizes: dict[str, int]
    dtype: str
    kernels: dict[str, str]


TRIALS = {
    "gpt": Trial(
        "gpt_block.py",
        {"batch": 8, "tokens": 1024, "width": 1024, "heads": 16},
        "torch.bfloat16",
        {"pow_mul_add_and_5_more": "gpt_gelu", "add_layer_norm": "gpt_add_norm"},
    ),
    "resnet": Trial(
        "resnet_block.py",
        {"batch": 128, "channels": 64, "side": 56},
        "torch.float16",
        {"batch_norm_relu": "resnet_norm_relu", "batch_norm_add_relu": "resnet_norm_add_relu"},
    ),
}


def main() -> None:
    """Every model in turn; what is known is written at once."""
    flags = parsed_flags()
    found = recorded_before(flags.out)
    names = flags.only or TRIALS

    def keep(name: str, row: dict[str, Any]) -> None:
        found[name] = found[name] | row
        if flags.out is not None:
            flags.out.parent.mkdir(parents=True, exist_ok=True)
            flags.out.write_text(json.dumps(found, indent=1) + "\n")

    end = RunEnd(flags.stop_after_s - CLOSING_S, CLOSING_S)
    for name in names:
        if found.get(name, {}).get("complete"):
            continue
        found[name] = {"complete": False}
        start = time.perf_counter()
        try:
            tried(TRIALS[name], flags, lambda row, name=name: keep(name, row))
        except (AssayError, TimeIsUpError) as problem:
            keep(name, {"problem": f"{type(problem).__name__}: {problem}"})
            print(f"{name}: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
            if isinstance(problem, TimeIsUpError):
                break
        keep(name, {"seconds": time.perf_counter() - start})
    print()
    for name in found:
        if name in names:
            print(line(name, found[name]), flush=True)
    end.leave(0 if all(found.get(name, {}).get("complete") for name in names) else 1)


def recorded_before(path: Path | None) -> dict[str, dict[str, Any]]:
    """What an earlier call with the same `--out` wrote."""
    if path is None or not path.exists():
        return {}
    found: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


def parsed_flags() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", nargs="+", choices=tuple(TRIALS))
    parser.add_argument("--level", default="quick", choices=[one.value for one in Level])
    parser.add_argument("--small", action="store_true", help="on a GPU a quarter of the batch")
    parser.add_argument("--stop-after-s", type=float, default=3600.0)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def tried(trial: Trial, flags: argparse.Namespace, keep: Callable[[dict[str, Any]], None]) -> None:
    """Profile, replace, judge."""
    device = for_judging(flags.device)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = (MODELS / trial.file).read_text(encoding="utf-8")
        path = folder / trial.file
        path.write_text(resized(source, trial, flags.small) if device.accelerated else source)
        model = ModelFile.named(str(path))
        hot = profiled(model, flags.device)
        hot.write(folder)
        keep({"hot": _summary(hot.report.model_dump(mode="json"))})
        result_console().print(hot_page(hot.report))
        suffix = "cuda" if device.accelerated else "cpu"
        given = [
            f"{model.path.stem}_{task}={MODELS / 'kernels' / f'{kernel}_{suffix}.py'}"
            for task, kernel in trial.kernels.items()
        ]
        settings = Settings(
            device=flags.device, level=Level(flags.level), timing=True, cache=Cache.WARM
        )
        kernels = kernels_named(hot.report, folder, given)
        request = ApplyRequest(model, hot.report, kernels, settings, folder / "model_applied.py")
        with Judge(device=flags.device, jobs=1) as session:
            report = apply(request, judged_by(session), lambda text: print(text, file=sys.stderr))
        result_console().print(apply_page(report))
    keep(recorded(report))


def profiled(model: ModelFile, device: str) -> Ranked:
    """`assay hot --include-at-limit`: what lies in a cache may be faster than its limit."""
    backend = for_judging(device)
    surveyed = survey(device, measured=True)
    title = surveyed.device.name if surveyed.device is not None else device
    place = Profiled(model, device, title, backend.accelerated, training=False)
    answer = asked(model, backend, training=False)
    limits = limits_of(surveyed, backend.accelerated)
    return ranked(answer, place, limits, top=20, include_at_limit=True)


def resized(source: str, trial: Trial, small: bool) -> str:
    """The model's file with a GPU's sizes and dtype at its top; small: a quarter of the batch."""
    sizes = trial.sizes | ({"batch": trial.sizes["batch"] // 4} if small else {})
    for name, value in {**sizes, "dtype": trial.dtype}.items():
        source, count = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value}", source, count=1)
        if not count:
            raise ValueError(f"the model has no `{name} = ...` at its top")
    return source


def recorded(report: ApplyReport) -> dict[str, Any]:
    return {
        "complete": report.difference_percent is not None,
        "near": report.difference_percent is not None
        and abs(report.difference_percent) <= NEAR_PERCENT,
        "apply": report.model_dump(mode="json"),
    }


def _summary(report: dict[str, Any]) -> dict[str, Any]:
    """Without the code of the forward."""
    groups = [
        {key: value for key, value in one.items() if key != "occurrences"}
        for one in report["groups"]
    ]
    return report | {"groups": groups, "forward": None}


def line(name: str, one: dict[str, Any]) -> str:
    if "apply" not in one:
        return f"{name}: not judged: {one.get('problem', 'unknown')}"
    report = one["apply"]
    if not one["complete"]:
        remarks = [f"{one['task']}: {one['remark']}" for one in report["kernels"] if one["remark"]]
        found = [f"{report['status']}, {report['reason']}", *remarks]
        return f"{name}: no comparison: {'; '.join(found)}"
    predicted, measured = report["predicted"], report["measured"]
    return (
        f"{name}: predicted {predicted['speedup']:.3f}x "
        f"[{predicted['low']:.3f} {predicted['high']:.3f}], measured {measured['speedup']:.3f}x "
        f"[{measured['low']:.3f} {measured['high']:.3f}], {report['difference_percent']:+.1f} %, "
        f"intervals {'overlap' if report['intervals_meet'] else 'do NOT overlap'}: "
        f"{'within' if one['near'] else 'NOT within'} {NEAR_PERCENT:.0f} % ({one['seconds']:.0f} s)"
    )


if __name__ == "__main__":
    main()
