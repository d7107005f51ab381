"""How many verdicts a minute: kernels that were never compiled before, judged one after the other.

    python benchmarks/throughput.py --device cuda --triton 256 [--jobs 4] [--out FILE]
    python benchmarks/throughput.py --device cuda --cuda-inline 32
    python benchmarks/throughput.py --cpu-cpp 100 --jobs 2
    python benchmarks/throughput.py --device cuda --cold
    python benchmarks/throughput.py --flat --count 1000 [--tiny --level smoke]

Sources are generated from a seed that is new each time (`--seed` repeats one). `--triton` and
`--cuda-inline` time what they judge, and judge a part of it by the usual protocol of one fresh
process a sample as well, so that the ratio comes from one run on one machine. `--cpu-cpp` judges
without timing. `--cold` is one `assay eval` at `standard`. `--flat` asks whether a candidate costs
the same among ten and among a thousand; `--tiny` asks it of a task of 4,096 elements, so that a
thousand take minutes. The result is one JSON object, with the environment; a run that SIGTERM ends
writes what it has. Processor seconds are those of the caller and the judge processes: sandboxed
trees are not waited for by their parent.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import queue
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from machine_watch import GpuBusy, ProcessorTime, TreeMemory, environment, tree
from throughput_sources.cpp_sources import cpp_sources
from throughput_sources.cuda_sources import cuda_sources
from throughput_sources.generated import Generated
from throughput_sources.plain_tasks import TINY_GELU
from throughput_sources.triton_sources import triton_sources
from throughput_tally import Answer, ResultFile, Tally, per_minute

import assay
from assay.data.candidate import Candidate
from assay.data.settings import Level, Settings
from assay.languages.candidate_file import candidate_of_text
from assay.tasks.catalog import resolve

HERE = Path(__file__).parent
PROTOCOL_TIMEOUT_S = 600


def candidate(source: Generated) -> Candidate:
    return candidate_of_text(source.text).model_copy(update={"name": source.name})


def answers(sources: Sequence[Generated], settings: Settings, jobs: int | None) -> Iterator[Answer]:
    """Every verdict as it comes: by a warm judge where this Assay has one."""
    began = time.monotonic()
    warm = getattr(assay, "Judge", None)
    judged = _by_judge if warm is not None else _by_task
    for result in judged(sources, settings, jobs):
        verdict = result.verdict
        at_s = time.monotonic() - began
        yield Answer(
            verdict.task,
            verdict.candidate,
            verdict.status.value,
            verdict.reason,
            at_s,
            dict(verdict.stages),
        )


def _by_judge(sources: Sequence[Generated], settings: Settings, jobs: int | None) -> Iterator[Any]:
    """All handed over at once; the judge decides what runs beside what."""
    maker: Any = assay.Judge  # type: ignore[attr-defined]
    names = set(Settings.model_fields) - {"device", "jobs"}
    options = {name: getattr(settings, name) for name in names}
    with maker(device=settings.device, jobs=jobs, **options) as judge:
        # Nobody else holds what was submitted: it goes as it comes.
        for future in as_completed([judge.submit(one.task, candidate(one)) for one in sources]):
            if error := future.exception():  # ours: it is missing among the candidates
                print(f"no verdict: {type(error).__name__}: {error}", file=sys.stderr)
            else:
                yield future.result()
        print(f"judge processes and exams: {judge.counts()}", file=sys.stderr)


def _by_task(sources: Sequence[Generated], settings: Settings, jobs: int | None) -> Iterator[Any]:
    """One call a task; several tasks at a time where nothing is timed."""
    tasks = list(dict.fromkeys(one.task for one in sources))

    def judged(task: str) -> Iterator[Any]:
        given = [candidate(one) for one in sources if one.task == task]
        with closing(assay.evaluate_many(task, given, settings)) as stream:
            yield from stream

    if settings.timing or jobs is None or jobs <= 1:
        for task in tasks:
            yield from judged(task)
        return
    found: queue.Queue[Any] = queue.Queue()

    def feed(task: str) -> None:
        for one in judged(task):
            found.put(one)

    with ThreadPoolExecutor(jobs) as pool:
        work = [pool.submit(feed, task) for task in tasks]
        while not (all(one.done() for one in work) and found.empty()):
            try:
                yield found.get(timeout=0.05)
            except queue.Empty:
                continue
        for one in work:
            one.result()


def measured(
    name: str, sources: Sequence[Generated], settings: Settings, flags: argparse.Namespace
) -> dict[str, Any]:
    """All of them judged: rate, shares, statuses, and every verdict that is not `accepted`."""
    began, tally = time.monotonic(), Tally(len(sources))
    with (
        flags.file.tallied(name, tally),
        GpuBusy() as gpu,
        TreeMemory() as memory,
        ProcessorTime() as used,
    ):
        for answer in answers(sources, settings, flags.jobs):
            tally.add(answer)
    if not tally.found:
        raise SystemExit("not one verdict came")
    return {
        "level": settings.level.value,
        "timing": settings.timing,
        "device": settings.device,
        "jobs": flags.jobs,
        "by": "assay.Judge" if hasattr(assay, "Judge") else "assay.evaluate_many",
        **tally.summary(),
        "processor_s_per_verdict": round(used.seconds / len(tally.found), 3),
        "gpu_busy_share": gpu.share(began + tally.found[tally.first - 1].at_s),
        "gpu_busy_reason": gpu.reason,
        "largest_tree_mb": memory.largest_bytes >> 20,
    }


def by_protocol(sources: Sequence[Generated], device: str) -> dict[str, Any]:
    """The same kind of sources by one fresh process a sample, one after the other."""
    seconds: list[float] = []
    statuses: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, GpuBusy() as gpu:
        for number, one in enumerate(sources):
            task = Path(folder) / f"task_{number}.py"
            kernel = Path(folder) / f"kernel_{number}.py"
            task.write_text(resolve(one.task).source)
            kernel.write_text(one.text)
            line = [sys.executable, str(HERE / "one_process_protocol.py"), str(task), str(kernel)]
            began = time.monotonic()
            statuses[_protocol_answer([*line, "--device", device], folder)] += 1
            seconds.append(time.monotonic() - began)
        busy = gpu.share()
    return {
        "samples": len(sources),
        "statuses": dict(statuses),
        "mean_s": round(statistics.mean(seconds), 3),
        "verdicts_per_minute": per_minute(len(seconds), sum(seconds)),
        "gpu_busy_share": busy,
    }


def _protocol_answer(line: list[str], folder: str) -> str:
    # Its own build folder: what it compiles must not have been compiled before.
    own = {"TRITON_CACHE_DIR": f"{folder}/triton", "TORCH_EXTENSIONS_DIR": f"{folder}/extensions"}
    interpreted = {} if line[-1] == "cuda" else {"TRITON_INTERPRET": "1"}
    try:
        done = subprocess.run(
            line,
            capture_output=True,
            text=True,
            check=False,
            timeout=PROTOCOL_TIMEOUT_S,
            env=os.environ | own | interpreted,
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    if done.returncode:
        print(done.stderr[-2000:], file=sys.stderr)
        return "failed"
    return "correct" if json.loads(done.stdout.splitlines()[-1])["correct"] else "wrong"


def compared(name: str, sources: list[Generated], flags: argparse.Namespace) -> None:
    """The engine on all of them, the protocol on every n-th, and the ratio of the two."""
    settings = Settings(device=flags.device, level=Level(flags.level), timing=True)
    result = flags.file.result[name] = measured(name, sources, settings, flags)
    wanted = min(flags.protocol_count, len(sources))
    if wanted:
        result["protocol"] = by_protocol(sources[:: len(sources) // wanted][:wanted], flags.device)
        ours, theirs = (
            result["steady_verdicts_per_minute"],
            result["protocol"]["verdicts_per_minute"],
        )
        result["ratio"] = round(ours / theirs, 3) if ours and theirs else None


def cold(flags: argparse.Namespace, seed: int) -> dict[str, Any]:
    """One `assay eval` of a Triton candidate, interpreter start and imports included."""
    (source,) = [one for one in triton_sources(seed, 8) if one.task == "softmax"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / source.name
        path.write_text(source.text)
        line = [sys.executable, "-m", "assay.app.main", "eval", source.task, str(path), "--json"]
        line += ["--device", flags.device, "--level", "standard"]
        began = time.monotonic()
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        wall_s = time.monotonic() - began
    verdict = json.loads(done.stdout) if done.stdout else {"status": done.stderr[-500:]}
    return {
        "wall_s": round(wall_s, 2),
        "level": "standard",
        "status": verdict["status"],
        "reason": verdict.get("reason"),
        "stages": verdict.get("stages"),
    }


def flat(flags: argparse.Namespace, seed: int) -> list[dict[str, Any]]:
    """Ten, a hundred, a thousand candidates of one task: seconds and memory of each lot."""
    most, sizes = flags.count or 1000, []
    while (size := 10 ** (len(sizes) + 1)) <= most:
        sizes.append(size)
    settings = Settings(device=flags.device, level=Level(flags.level), timing=False)
    rows = []
    for number, size in enumerate(sizes or [most]):
        sources = [one for one in cpp_sources(seed + number, 10 * size) if one.task == "gelu"]
        if flags.tiny:
            sources = [replace(one, task=TINY_GELU) for one in sources]
        with TreeMemory() as memory, ProcessorTime() as used:
            found = list(answers(sources, settings, flags.jobs))
        rows.append(
            {
                "candidates": size,
                "seconds_each": round(found[-1].at_s / size, 3),
                "seconds_each_after_first": round(
                    (found[-1].at_s - found[0].at_s) / max(1, size - 1), 3
                ),
                "processor_s_each": round(used.seconds / size, 3),
                "descriptors_after": len(os.listdir("/proc/self/fd")),
                "processes_after": sum(1 for _ in tree(os.getpid())) - 1,
                "largest_tree_mb": memory.largest_bytes >> 20,
                "own_mb": memory.own_bytes >> 20,
                "statuses": dict(Counter(one.status for one in found)),
            }
        )
        print(json.dumps(rows[-1]), file=sys.stderr)
    return rows


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, count in (("--triton", 256), ("--cuda-inline", 32), ("--cpu-cpp", 100)):
        parser.add_argument(name, type=int, nargs="?", const=count, metavar="COUNT")
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--flat", action="store_true")
    parser.add_argument("--tiny", action="store_true", help="--flat on a task of 4,096 elements")
    parser.add_argument("--count", type=int, help="candidates, instead of a mode's own number")
    parser.add_argument("--jobs", type=int, help="candidates at a time; without it as usual there")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--level", default="quick")
    parser.add_argument("--seed", type=int, help="the sources of an earlier run")
    parser.add_argument("--protocol-count", type=int, default=16, help="samples by the protocol")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def main() -> int:
    flags = parsed_flags()
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    seed = secrets.randbits(32) if flags.seed is None else flags.seed
    result: dict[str, Any] = {"environment": environment(), "seed": seed}
    flags.file = ResultFile(flags.out, result)
    flags.file.keep_on_termination()
    if flags.triton is not None:
        sources = triton_sources(seed, flags.count or flags.triton)
        compared("triton", sources, flags)
    if flags.cuda_inline is not None:
        sources = cuda_sources(seed, flags.count or flags.cuda_inline)
        compared("cuda_inline", sources, flags)
    if flags.cpu_cpp is not None:
        settings = Settings(device="cpu", level=Level(flags.level), timing=False)
        sources = cpp_sources(seed, flags.count or flags.cpu_cpp)
        result["cpu_cpp"] = measured("cpu_cpp", sources, settings, flags)
    if flags.cold:
        result["cold"] = cold(flags, seed)
    if flags.flat:
        result["flat"] = flat(flags, seed)
    flags.file.write()
    return 0 if len(result) > 2 else 2


if __name__ == "__main__":
    sys.exit(main())
