"""Two kernels put back into a GPT block and a ResNet block: predicted beside measured gain.

    python benchmarks/whole_model.py --device cpu|cuda [--only gpt|resnet] [--out FILE.json]

Each model of `examples/models` is profiled (`assay hot`), two of its fused regions are replaced by
the kernels of `examples/models/kernels` (`assay apply`), and the whole is judged and timed. On a
GPU the sizes below take the place of the file's own. Prints where the time goes, every verdict
and speedup, then predicted and measured speedup with their difference in per cent. Exit code 1
where a kernel or a model is not accepted or not timed. Meant for a machine on which nothing else
runs; about three minutes on an H200 for both.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.app.models.model_text import apply_page, hot_page
from assay.data.settings import Cache, Level, Settings
from assay.devices.device_registry import for_judging
from assay.devices.survey import survey
from assay.engine.judge import Judge
from assay.report.console import result_console
from assay.workbench.models.apply_kernels import ApplyRequest, apply, judged_by, kernels_named
from assay.workbench.models.apply_report import ApplyReport
from assay.workbench.models.device_limits import limits_of
from assay.workbench.models.hot_model import ModelFile, Profiled, asked, ranked

MODELS = Path(__file__).parents[1] / "examples" / "models"
NEAR_PERCENT = 10.0


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


def main() -> int:
    flags = parsed_flags()
    found: dict[str, Any] = {}
    for name in flags.only or TRIALS:
        start = time.perf_counter()
        found[name] = tried(TRIALS[name], flags) | {"seconds": time.perf_counter() - start}
        if flags.out is not None:
            flags.out.parent.mkdir(parents=True, exist_ok=True)
            flags.out.write_text(json.dumps(found, indent=1) + "\n")
    print()
    for name, one in found.items():
        print(line(name, one), flush=True)
    return 0 if all(one["complete"] for one in found.values()) else 1


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", nargs="+", choices=tuple(TRIALS))
    parser.add_argument("--level", default="quick", choices=[one.value for one in Level])
    parser.add_argument("--small", action="store_true", help="on a GPU a quarter of the batch")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def tried(trial: Trial, flags: argparse.Namespace) -> dict[str, Any]:
    """Profile, replace, judge."""
    device = for_judging(flags.device)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        source = (MODELS / trial.file).read_text(encoding="utf-8")
        path = folder / trial.file
        path.write_text(resized(source, trial, flags.small) if device.accelerated else source)
        model = ModelFile.named(str(path))
        surveyed = survey(flags.device, measured=True)
        title = surveyed.device.name if surveyed.device is not None else flags.device
        profiled = Profiled(model, flags.device, title, device.accelerated, training=False)
        answer = asked(model, device, training=False)
        hot = ranked(answer, profiled, limits_of(surveyed, device.accelerated), top=20)
        hot.write(folder)
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
    return recorded(report) | {"hot": _summary(hot.report.model_dump(mode="json"))}


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
    report = one["apply"]
    if not one["complete"]:
        return f"{name}: no comparison: {report['status']}, {report['reason']}"
    predicted, measured = report["predicted"], report["measured"]
    return (
        f"{name}: predicted {predicted['speedup']:.3f}x "
        f"[{predicted['low']:.3f} {predicted['high']:.3f}], measured {measured['speedup']:.3f}x "
        f"[{measured['low']:.3f} {measured['high']:.3f}], {report['difference_percent']:+.1f} %, "
        f"intervals {'overlap' if report['intervals_meet'] else 'do NOT overlap'}: "
        f"{'within' if one['near'] else 'NOT within'} {NEAR_PERCENT:.0f} % ({one['seconds']:.0f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
