"""Labelled sets: candidates that public repositories ship, each with what its authors say of it.

The rule: read from a user's checkout, never copied. What cannot be read is told with the reason.
A label is what its source states: right or wrong by a folder's name, a file's name, or a record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.errors import AssayError
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import adapted, candidate_at, tasks_of

OWN_TASKS = Path(__file__).with_name("published_tasks")  # of answers whose task was not published
_LINE = re.compile(r"^#{100,}\s*$", re.MULTILINE)  # between an answer and the test behind it


@dataclass(frozen=True)
class Labelled:
    """One candidate of one task."""

    set_name: str
    name: str
    task: Task
    candidate: Candidate
    right: bool  # by its label
    said: str  # the label in its source's words


@dataclass(frozen=True)
class NotListed:
    """One that cannot be judged, and why."""

    set_name: str
    name: str
    reason: str


Found = Labelled | NotListed


def gpu_mode_solutions(repo: Path) -> Iterator[Found]:
    """Folders `correct` and `wrong` beside a problem of GPU MODE."""
    for path in sorted(repo.glob("problems/*/*/solutions/*/*.py")):
        label, problem = path.parent.name, path.parents[2]
        name = f"{problem.parent.name}/{problem.name}/{label}/{path.stem}"
        yield _read("gpu_mode", name, lambda p=path, q=problem: _first("gpu_mode", q, p), label)


def sol_solutions(repo: Path) -> Iterator[Found]:
    """Solutions of SOL-ExecBench's samples and examples; those named evil or hack are to fail."""
    defined = _definitions(repo)
    for path in sorted([*repo.glob("tests/**/solution*.json"), *repo.glob("examples/**/*.json")]):
        if "definition.json" in path.name or "workload" in path.name:
            continue
        told = json.loads(path.read_text())
        if not (isinstance(told, dict) and told.keys() >= {"definition", "spec", "sources"}):
            continue
        name = _name(path, repo)
        label = "wrong" if "evil" in name or "hack" in path.name else "correct"
        place = defined.get(told["definition"], path.parent)
        place = OWN_TASKS / "vector_sum" if "evil" in name else place

        def both(at: Path = place, one: Path = path) -> tuple[Task, Candidate]:
            return _first("sol_execbench", at, one)

        yield _read("sol_execbench", name, both, label)


def _name(path: Path, place: Path) -> str:
    """Where it lies: some have a namesake in another folder."""
    return path.relative_to(place).with_suffix("").as_posix()


def _definitions(repo: Path) -> dict[str, Path]:
    """Folders of definitions, by name: some solutions lie elsewhere."""
    files = [*repo.glob("tests/**/definition.json"), *repo.glob("examples/**/definition.json")]
    return {json.loads(file.read_text())["name"]: file.parent for file in files}


def kernelbench_samples(repo: Path) -> Iterator[Found]:
    """Kernels that KernelBench's own tests must refuse, and the answers of its prompts."""
    tests = repo / "src/kernelbench/unit_tests/test_kernels"
    own = repo / "KernelBench/level1/1_Square_matrix_multiplication_.py"
    for path in sorted(tests.glob("*.py")):
        yield _read("kernelbench", path.stem, lambda p=path: _first("kernelbench", own, p), "wrong")
    prompts = repo / "src/kernelbench/prompts"
    for path in sorted(prompts.glob("**/model_new_ex_*.py")):
        stem, name = path.stem.removeprefix("model_new_ex_"), _name(path, prompts)
        task = next((t for t in _task_files(prompts, stem)), None)
        if task is None:
            yield NotListed("kernelbench", name, "no task of its name")
            continue
        yield _read(
            "kernelbench", name, lambda p=path, t=task: _first("kernelbench", t, p), "correct"
        )


def _task_files(prompts: Path, stem: str) -> Iterator[Path]:
    """`add` for `add`, `add_triton`, `add_cute`, ..."""
    parts = stem.split("_")
    for length in range(len(parts), 0, -1):
        yield from sorted(prompts.glob(f"**/model_ex_{'_'.join(parts[:length])}.py"))


def highlighted_kernels(repo: Path) -> Iterator[Found]:
    """CUDA kernels that robust-kbench shows, with times."""
    for path in sorted(repo.glob("highlighted/*/*/kernel.cu")):
        name, direction = path.parents[1].name, path.parent.name
        folders = sorted(repo.glob(f"tasks/**/{name}"))

        def both(
            p: Path = path, f: list[Path] = folders, d: str = direction
        ) -> tuple[Task, Candidate]:
            tasks = [t for folder in f[:1] for t in tasks_of(f"robust_kbench:{folder}")]
            task = next(t for t in tasks if t.id.endswith(".backward") == (d == "backward"))
            return task, candidate_at(p, task)

        if not folders:
            yield NotListed("robust_kbench", f"{name}/{direction}", "no task of its name")
            continue
        yield _read("robust_kbench", f"{name}/{direction}", both, "correct")


def transition_corpus(repo: Path) -> Iterator[Found]:
    """Every distinct answer of KernelBench-X's corpus, with its recorded outcome."""
    suites = (f"kernelbench_x:{OWN_TASKS / 'kbx'}", f"kernelbench_x:{repo}")
    tasks = {Path(task.origin).stem: task for suite in suites for task in tasks_of(suite)}
    for number, (name, code, record) in enumerate(corpus_codes(repo)):
        right = bool(record["call_ok"] and record["exe_ok"])
        label = f"{number}/{Path(name).stem}"
        if Path(name).stem not in tasks:
            yield NotListed("kbx_corpus", label, "its task is no longer in the benchmark")
            continue
        task = tasks[Path(name).stem]

        def both(c: str = code, t: Task = task) -> tuple[Task, Candidate]:
            return t, adapted(candidate_of_text(c), t)

        yield _read("kbx_corpus", label, both, "correct" if right else "wrong")


def corpus_codes(repo: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Task, answer without its test, record; each answer once, with the worst of its records."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for line in (repo / "data/kbx_corpus/all_records.jsonl").read_text().splitlines():
        row = json.loads(line)
        for side in ("before", "after"):
            code = row[f"{side}_code"]
            if code:
                key = (row["task_id"], _LINE.split(code)[0])
                known = found.get(key)
                if known is None or (known["exe_ok"] and not row[side]["exe_ok"]):
                    found[key] = row[side]
    for (task, code), record in found.items():
        yield task, code, record


def _first(reader: str, place: Path, path: Path) -> tuple[Task, Candidate]:
    task = tasks_of(f"{reader}:{place}")[0]
    return task, candidate_at(path, task)


def _read(
    set_name: str, name: str, load: Callable[[], tuple[Task, Candidate]], label: str
) -> Found:
    try:
        task, candidate = load()
    except (AssayError, StopIteration, IndexError, OSError, SyntaxError) as error:
        text = str(error) or type(error).__name__
        return NotListed(set_name, name, " ".join(text.split())[:200])
    return Labelled(set_name, name, task, candidate, label == "correct", label)


# By the name of a checkout's folder; small sets with many wrong ones first in each turn.
SETS: dict[str, Callable[[Path], Iterator[Found]]] = {
    "SOL-ExecBench": sol_solutions,
    "reference-kernels": gpu_mode_solutions,
    "KernelBench": kernelbench_samples,
    "robust-kbench": highlighted_kernels,
    "KernelBenchX": transition_corpus,
}
