"""NaiveTrial: the naive check on corpus cases, each in a sandbox that is thrown away.

The rule: evaluator, reference and candidate share one process, as the naive check wants it; the
sandbox is around all three and only keeps the machine from harm. What no sandboxed process can do
(reach the network, trace another process) is out of reach here too, so the naive check accepts at
most a little more elsewhere.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType

import naive_check

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.exam.build_cache import BuildCache, default_folder, toolchain
from assay.languages.candidate_file import load_candidate
from assay.languages.language_registry import LANGUAGES, language
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import ProcessLost, SandboxedProcess
from assay.sandbox.host.wall import Wall
from assay.sandbox.layers.spec import Isolation
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import Construct, Load
from assay.tasks.catalog import resolve
from corpus_case import CorpusCase

TIMEOUT_S = 40.0
BUILD_TIMEOUT_S = 300.0
_PROGRAM, _TASK, _KERNEL = "naive/check.py", "naive/task.py", "kernel/kernel.py"


def every_language() -> tuple[str, ...]:
    """What the warm parent imports, so that no case pays for it."""
    return tuple(sorted({name for known in LANGUAGES.names() for name in language(known).preload}))


class NaiveTrial:
    """One warm parent for all cases. What Assay built before is not built again."""

    def __init__(self, expected: int) -> None:
        self._wall = Wall(every_language(), expected=expected)
        toolchain_id = toolchain(self._wall.torch_version, "cpu")
        fixed = self._wall.isolation is Isolation.NAMESPACES  # builds hold paths of the scratch
        self._cache = BuildCache(default_folder(), toolchain_id) if fixed else None

    def __enter__(self) -> NaiveTrial:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._wall.close()

    def accepts(self, case: CorpusCase) -> bool:
        """Whether the naive check accepts a case of the corpus."""
        return self.accepts_candidate(load_candidate(case.path), case.task_source)

    def accepts_candidate(self, candidate: Candidate, task: str) -> bool:
        """Whether the naive check accepts; a hang, a crash and an early exit are no acceptance.

        `task` is what the task is resolved by: a native name, or a file.
        """
        process = self._wall.raise_sandbox()
        try:
            return self._run(process, candidate, resolve(task))
        except ProcessLost:
            return False
        finally:
            self._wall.end(process)

    def _run(self, process: SandboxedProcess, candidate: Candidate, task: Task) -> bool:
        archive = self._cache.load(candidate) if self._cache else None
        if archive is not None:
            scratch.restore(process.scratch, archive)
        scratch.write_file(process.scratch, _KERNEL, candidate.main.text.encode())
        scratch.write_file(process.scratch, _TASK, task.source.encode())
        scratch.write_file(process.scratch, _PROGRAM, Path(naive_check.__file__).read_bytes())
        scratch.write_file(process.scratch, "home/.keep", b"")
        deadline = Deadline.after(TIMEOUT_S, BUILD_TIMEOUT_S)
        root, written_in = process.scratch_path, language(candidate.language)
        interpreted = written_in.interpreted(self._wall.device)
        load = Load(f"{root}/{_PROGRAM}", "NaiveCheck", written_in, interpreted)
        process.ask(load, deadline)
        arguments = (f"{root}/{_TASK}", f"{root}/{_KERNEL}", task.entry)
        check = Construct(0, arguments, (), 0, True)
        return process.ask(check, deadline)[0].code == ReplyCode.OK
