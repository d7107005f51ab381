"""Kernels that public benchmarks and libraries ship, judged as candidates. Resumable.

    python benchmarks/public_kernels.py --checkouts FOLDER [--draw 60 --seed 0] [--jobs 2]
        [--record out/public_kernels.jsonl] [--list]

FOLDER holds the repositories as OWNER/NAME. `public_kernels.toml` says which file holds which
kernel, what it computes (a task of ours) and how it is called; no text of theirs is kept here. The
rule: a public file is changed only by the plain substitutions below, which take the GPU out of it.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import os
import random
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings, Track
from assay.data.task import Task
from assay.languages.candidate_file import detect_language
from assay.pipeline import evaluate

TABLE = Path(__file__).with_suffix(".toml")
TIMEOUT_S = 60.0
Line = dict[str, Any]  # one line of the record
# What ties a file to a GPU, and what stands there on a CPU. Nothing else of a file is touched.
SUBSTITUTIONS = (
    (r"[\w.\[\]]+\.is_cuda\b(?!\()", "True"),
    (r"device=(['\"])cuda(:0)?\1", "device='cpu'"),
    (r"torch\.device\((['\"])cuda(:0)?\1\)", "torch.device('cpu')"),
    (r"\.cuda\(\)", ""),
    (r"torch\.cuda\.device\([^()]*(\([^()]*\))?[^()]*\)", "__import__('contextlib').nullcontext()"),
    (r"torch\.cuda\.synchronize\(\)", "None"),
    (r"torch\.cuda\.get_device_properties\([^.]*[^=]*?\)\.multi_processor_count", "8"),
)


@dataclass(frozen=True, slots=True)
class PublicKernel:
    """One row of the table: where a kernel lies and how it is asked."""

    repository: str
    path: str
    task: str
    call: str = ""  # the body of forward, in terms of the task's inputs; empty: it has a ModelNew
    name: str = ""  # tells several kernels of one file apart
    setup: str = ""  # lines of ours between the file and ModelNew
    members: dict[str, str] = field(default_factory=dict)  # in place of the task's parameters
    until: str = ""  # a regular expression: the file is read up to its first match
    package: str = ""  # the folder that imports begin at, where the kernel is imported
    beside: tuple[str, ...] = ()  # patterns of the files of that folder that come along
    stand_ins: dict[str, str] = field(default_factory=dict)  # our files in place of theirs
    replace: tuple[tuple[str, str], ...] = ()
    track: str = "kernel"
    refusal: str = ""  # why it is refused, where it is; found by hand

    @property
    def key(self) -> str:
        """What a finished row is known by."""
        return f"{self.repository}/{self.path}" + (f"#{self.name}" if self.name else "")


@dataclass(frozen=True, slots=True)
class Question:
    """One task: inputs and parameters by name and a reference over them, or a file of sizes."""

    inputs: dict[str, str] = field(default_factory=dict)
    reference: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    file: str = ""  # a task in KernelBench form, from the folder of checkouts
    sizes: dict[str, str] = field(default_factory=dict)  # its constants, made small

    def source(self, checkouts: Path) -> str:
        """The task in KernelBench form."""
        if self.file:
            text = (checkouts / self.file).read_text()
            for name, value in self.sizes.items():
                text = re.sub(rf"^{name}\s*=.*$", f"{name} = {value}", text, flags=re.MULTILINE)
            return text
        made = "\n".join(f"    {name} = {value}" for name, value in self.inputs.items())
        return (
            "import math\n\nimport torch\nimport torch.nn as nn\n"
            "import torch.nn.functional as F\n\n\n"
            f"{self.module('Model', self.reference, ())}\n\n"
            f"def get_inputs():\n{made}\n    return [{', '.join(self.inputs)}]\n\n\n"
            f"def get_init_inputs():\n    return []\n"
        )

    def adapter(self, kernel: PublicKernel, contiguous: bool) -> str:
        """Our ModelNew, which calls the kernel, or the kernel's own, handed inputs without gaps."""
        if not kernel.call:
            return _WITHOUT_GAPS if contiguous else ""
        first = [f"{name} = {name}.contiguous()" for name in self.inputs] if contiguous else []
        text = self.module("ModelNew", kernel.call, (*first,), kernel.members)
        return f"\n\nimport torch\nimport torch.nn as nn\n{kernel.setup}\n\n{text}"

    def module(
        self, name: str, body: str, first: Sequence[str], members: dict[str, str] | None = None
    ) -> str:
        """A module with its members, and `body` as its forward; its last line is the result."""
        made = [f"self.{k} = nn.Parameter({value})" for k, value in self.parameters.items()]
        if members:
            made = [f"self.{k} = {value}" for k, value in members.items()]
        *lines, last = body.strip().splitlines()
        return "\n".join(
            [
                f"class {name}(nn.Module):",
                "    def __init__(self):",
                "        super().__init__()",
                *(f"        {line}" for line in made),
                "",
                f"    def forward(self, {', '.join(self.inputs)}):",
                *(f"        {line}" for line in [*first, *lines, f"return {last}"]),
                "",
            ]
        )


_WITHOUT_GAPS = """

_asked = ModelNew.forward


def _without_gaps(self, *inputs):
    return _asked(self, *[x.contiguous() if hasattr(x, "contiguous") else x for x in inputs])


ModelNew.forward = _without_gaps
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a kernel is asked: with inputs as the task lays them out, or without gaps."""

    question: Question
    checkouts: Path
    contiguous: bool


@dataclass(frozen=True, slots=True)
class Table:
    """The rows, and the tasks they name."""

    kernels: tuple[PublicKernel, ...]
    questions: dict[str, Question]

    def task(self, name: str, checkouts: Path) -> Task:
        """A task by its name in the table."""
        source = self.questions[name].source(checkouts)
        return Task(id=name, format="kernelbench", source=source)


def read_table(path: Path) -> Table:
    """The table, with what a repository says about all its files filled in."""
    raw = tomllib.loads(path.read_text())
    questions = {name: Question(**entry) for name, entry in raw["task"].items()}
    rows = [
        _row(row, {"repository": name} | shared)
        for name, shared in raw["repository"].items()
        for row in shared["kernels"]
    ]
    return Table(tuple(rows), questions)


def _row(row: dict[str, Any], shared: dict[str, Any]) -> PublicKernel:
    values = {k: v for k, v in shared.items() if k not in ("folder", "kernels", "commit")} | row
    values["path"] = shared.get("folder", "") + row["path"]
    for name in ("beside", "replace"):
        values[name] = tuple(tuple(v) if isinstance(v, list) else v for v in values.get(name, ()))
    return PublicKernel(**values)


def candidate_of(kernel: PublicKernel, asked: Asked) -> Candidate:
    """The public file, without its GPU, and our ModelNew that calls it."""
    repository = asked.checkouts / kernel.repository
    ours = asked.question.adapter(kernel, asked.contiguous)
    if not kernel.package:
        text = _without_gpu((repository / kernel.path).read_text(), kernel) + ours
        sources = [SourceFile(path="kernel.py", text=text)]
    else:
        package = _package(repository / kernel.package, repository / kernel.path, kernel)
        sources = [SourceFile(path="kernel.py", text=ours)]
        sources += [SourceFile(path=path, text=text) for path, text in sorted(package.items())]
    language = detect_language(tuple(sources))
    return Candidate(name=kernel.key, language=language, sources=tuple(sources))


def _package(folder: Path, main: Path, kernel: PublicKernel) -> dict[str, str]:
    """Files of the kernel's package by path: theirs, and ours where the device is asked about."""
    paths = {path for pattern in kernel.beside for path in folder.glob(pattern)} | {main}
    texts = {}
    for path in paths:
        asked = kernel if path == main else dataclasses.replace(kernel, until="")
        texts[path.relative_to(folder).as_posix()] = _without_gpu(path.read_text(), asked)
    return texts | kernel.stand_ins


def _without_gpu(text: str, kernel: PublicKernel) -> str:
    if kernel.until:
        text = re.split(kernel.until, text, maxsplit=1, flags=re.MULTILINE)[0]
    for pattern, replacement in (*SUBSTITUTIONS, *kernel.replace):
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def drawn(kernels: Sequence[PublicKernel], count: int, seed: int) -> list[PublicKernel]:
    """`count` rows, one of each repository in turn: its rows in an order that the seed says.

    What a row says about refusals has no part in it, and neither has a verdict.
    """
    queues = []
    for repository in sorted({kernel.repository for kernel in kernels}):
        own = sorted((k for k in kernels if k.repository == repository), key=lambda k: k.key)
        queues.append(random.Random(f"{seed} {repository}").sample(own, len(own)))
    turns = itertools.chain.from_iterable(itertools.zip_longest(*queues))
    return [kernel for kernel in turns if kernel is not None][:count]


def judge(table: Table, kernels: list[PublicKernel], flags: argparse.Namespace) -> Iterator[Line]:
    """A line for each kernel, as they finish, `--jobs` of them at a time."""
    with ThreadPoolExecutor(flags.jobs) as pool:
        waiting = [pool.submit(_judged, table, kernel, flags) for kernel in kernels]
        for one in as_completed(waiting):
            yield one.result()


def _judged(table: Table, kernel: PublicKernel, flags: argparse.Namespace) -> Line:
    """One kernel; if it is refused, it is asked again without gaps."""
    task = table.task(kernel.task, flags.checkouts)
    settings = Settings(
        level=Level(flags.level), track=Track(kernel.track), timing=False, timeout_s=TIMEOUT_S
    )
    as_is = Asked(table.questions[kernel.task], flags.checkouts, contiguous=False)
    first = _line(task, kernel, settings, as_is)
    if first["status"] == "accepted":
        return first
    again = _line(task, kernel, settings, dataclasses.replace(as_is, contiguous=True))
    seconds = round(first["s"] + again["s"], 2)
    return again | {"s": seconds, "with_gaps": first["reason"]}


def _line(task: Task, kernel: PublicKernel, settings: Settings, asked: Asked) -> Line:
    verdict = evaluate(task, candidate_of(kernel, asked), settings)
    return {
        "kernel": kernel.key,
        "task": task.id,
        "contiguous": asked.contiguous,
        "status": verdict.status.value,
        "reason": verdict.reason,
        "evidence": [f"{e.severity} {e.kind}: {e.text}" for e in verdict.evidence],
        "s": round(verdict.elapsed_s, 2),
    }


def finished(record: Path) -> dict[str, Line]:
    """What an earlier call judged, the latest of each kernel."""
    if not record.exists():
        return {}
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    return {line["kernel"]: line for line in lines}


def markdown(kernels: Sequence[PublicKernel], done: dict[str, Line]) -> str:
    """Figures by repository and in all, then everything that was not accepted, with its reason."""
    head = "| repository | kernels | accepted | accepted without gaps | refused | not judged |"
    lines = [head, "|---|---|---|---|---|---|"]
    for repository in dict.fromkeys(k.repository for k in kernels):
        lines.append(_figures(repository, [k for k in kernels if k.repository == repository], done))
    lines.append(_figures("all", kernels, done))
    refused = [k for k in kernels if k.key in done and done[k.key]["status"] != "accepted"]
    if refused:
        lines += ["", "| refused | status | why | what the verdict says |", "|---|---|---|---|"]
    for kernel in refused:
        line = done[kernel.key]
        cells = (f"`{kernel.key}`", f"`{line['status']}`", kernel.refusal or "unexplained")
        lines.append(f"| {' | '.join(cells)} | {' '.join(line['reason'].split())} |")
    return "\n".join(lines)


def _figures(name: str, kernels: Sequence[PublicKernel], done: dict[str, Line]) -> str:
    own = [done[k.key] for k in kernels if k.key in done]
    good = [line for line in own if line["status"] == "accepted"]
    gaps = sum(line["contiguous"] for line in good)
    figures = (len(kernels), len(good) - gaps, gaps, len(own) - len(good), len(kernels) - len(own))
    return f"| {name} | {' | '.join(map(str, figures))} |"


def chosen(table: Table, flags: argparse.Namespace) -> list[PublicKernel]:
    """The rows asked for, of repositories whose folder is there."""
    there = [k for k in table.kernels if (flags.checkouts / k.repository).is_dir()]
    if flags.draw:
        there = drawn(there, flags.draw, flags.seed)
    return [k for k in there if re.search(flags.only, k.key)]


def listed(table: Table, kernels: Sequence[PublicKernel], checkouts: Path) -> Iterator[str]:
    """Each kernel wrapped and its task read, neither of them judged: their files are there."""
    for kernel in kernels:
        table.task(kernel.task, checkouts)
        made = candidate_of(kernel, Asked(table.questions[kernel.task], checkouts, False))
        size = sum(len(file.text) for file in made.sources)
        yield f"{kernel.key}: {len(made.sources)} files, {size} characters"


def options() -> argparse.ArgumentParser:
    """What the command line takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--record", type=Path, default=Path("out/public_kernels.jsonl"))
    parser.add_argument("--level", choices=[level.value for level in Level], default="quick")
    parser.add_argument("--only", default="", help="only kernels whose name matches this")
    parser.add_argument("--again", action="store_true", help="judge finished ones again")
    parser.add_argument("--draw", type=int, default=0, help="so many rows, spread by repository")
    parser.add_argument("--seed", type=int, default=0, help="says which rows are drawn")
    parser.add_argument("--jobs", type=int, default=1, help="kernels judged at a time")
    parser.add_argument("--list", action="store_true", help="wrap the kernels, judge none")
    return parser


def main() -> int:
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # the jobs fill the cores
    flags = options().parse_args()
    table = read_table(TABLE)
    asked = chosen(table, flags)
    if flags.list:
        print(*listed(table, asked, flags.checkouts), f"{len(asked)} kernels", sep="\n")
        return 0
    done = finished(flags.record)
    left = [k for k in asked if flags.again or k.key not in done]
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    with flags.record.open("a") as record:
        for line in judge(table, left, flags):
            record.write(json.dumps(line) + "\n")
            record.flush()
            done[line["kernel"]] = line
            print(_told(line), file=sys.stderr)
    print(markdown(asked, done))
    return 0


def _told(line: Line) -> str:
    gaps = ", without gaps" if line["contiguous"] else ""
    reason = "" if line["status"] == "accepted" else f"\n    {line['reason']}"
    return f"{line['status']}{gaps}: {line['kernel']} ({line['s']} s){reason}"


if __name__ == "__main__":
    sys.exit(main())
