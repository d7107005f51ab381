"""Kernels that public benchmarks and libraries ship, judged as candidates. Resumable.

    python benchmarks/public_kernels.py --checkouts FOLDER [--record out/public_kernels.jsonl]

FOLDER holds the repositories as OWNER/NAME. `public_kernels.toml` says which file holds which
kernel, what it computes (a task of ours) and how it is called; no text of theirs is kept here. The
rule: a public file is changed only by the plain substitutions below, which take the GPU out of it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings, Track
from assay.data.task import Task, TaskFormat
from assay.languages.candidate_file import detect_language
from assay.pipeline import evaluate_many

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
        return Task(id=name, format=TaskFormat.KERNELBENCH, source=source)


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


def judge(table: Table, kernels: list[PublicKernel], flags: argparse.Namespace) -> Iterator[Line]:
    """A line for each kernel, task by task; one that is refused is asked again without gaps."""
    groups: dict[tuple[str, str], list[PublicKernel]] = defaultdict(list)
    for kernel in kernels:
        groups[kernel.task, kernel.track].append(kernel)
    for (name, track), members in groups.items():
        settings = Settings(
            level=Level(flags.level), track=Track(track), timing=False, timeout_s=TIMEOUT_S
        )
        as_is = Asked(table.questions[name], flags.checkouts, contiguous=False)
        first = _lines(table.task(name, flags.checkouts), members, settings, as_is)
        refused = {line["kernel"]: line for line in first if line["status"] != "accepted"}
        yield from (line for line in first if line["kernel"] not in refused)
        again = [kernel for kernel in members if kernel.key in refused]
        without_gaps = dataclasses.replace(as_is, contiguous=True)
        for line in _lines(table.task(name, flags.checkouts), again, settings, without_gaps):
            yield line | {"with_gaps": refused[line["kernel"]]["reason"]}


def _lines(task: Task, kernels: list[PublicKernel], settings: Settings, asked: Asked) -> list[Line]:
    made = [candidate_of(kernel, asked) for kernel in kernels]
    judged = evaluate_many(task, made, settings) if made else []
    return [
        {
            "kernel": kernel.key,
            "task": task.id,
            "contiguous": asked.contiguous,
            "status": one.verdict.status.value,
            "reason": one.verdict.reason,
            "evidence": [f"{e.severity} {e.kind}: {e.text}" for e in one.verdict.evidence],
            "s": round(one.verdict.elapsed_s, 2),
        }
        for kernel, one in zip(kernels, judged, strict=True)
    ]


def finished(record: Path) -> dict[str, Line]:
    """What an earlier call judged, the latest of each kernel."""
    if not record.exists():
        return {}
    lines = [json.loads(line) for line in record.read_text().splitlines()]
    return {line["kernel"]: line for line in lines}


def markdown(table: Table, done: dict[str, Line]) -> str:
    """Figures by repository, then every refusal with its reason."""
    head = "| repository | kernels | accepted | accepted without gaps | refused |"
    lines, refused = [head, "|---|---|---|---|---|"], []
    for repository in dict.fromkeys(k.repository for k in table.kernels):
        own = [k for k in table.kernels if k.repository == repository and k.key in done]
        good = [done[k.key] for k in own if done[k.key]["status"] == "accepted"]
        gaps = sum(line["contiguous"] for line in good)
        figures = (len(own), len(good) - gaps, gaps, len(own) - len(good))
        lines.append(f"| {repository} | {' | '.join(map(str, figures))} |")
        refused += [k for k in own if done[k.key]["status"] != "accepted"]
    if refused:
        lines += ["", "| refused | status | why |", "|---|---|---|"]
    for kernel in refused:
        line = done[kernel.key]
        lines.append(
            f"| `{kernel.key}` | `{line['status']}` | {kernel.refusal or line['reason']} |"
        )
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--record", type=Path, default=Path("out/public_kernels.jsonl"))
    parser.add_argument("--level", choices=[level.value for level in Level], default="quick")
    parser.add_argument("--only", default="", help="only kernels whose name contains this")
    parser.add_argument("--again", action="store_true", help="judge finished ones again")
    flags = parser.parse_args()
    table, done = read_table(TABLE), finished(flags.record)
    asked = [k for k in table.kernels if re.search(flags.only, k.key)]
    asked = [k for k in asked if flags.again or k.key not in done]
    flags.record.parent.mkdir(parents=True, exist_ok=True)
    with flags.record.open("a") as record:
        for line in judge(table, asked, flags):
            record.write(json.dumps(line) + "\n")
            record.flush()
            done[line["kernel"]] = line
            gaps = ", without gaps" if line["contiguous"] else ""
            print(f"{line['status']}{gaps}: {line['kernel']} ({line['s']} s)", file=sys.stderr)
            if line["status"] != "accepted":
                print(f"    {line['reason']}", file=sys.stderr)
    print(markdown(table, done))
    return 0


if __name__ == "__main__":
    sys.exit(main())
