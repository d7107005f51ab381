"""What `make test` leaves to `make corpus`, and how to repeat its sample of the corpus.

The rule: only a marker leaves a test out (`exhaustive`, or `corpus` and not in the sample), and
`make corpus` runs exactly the tests with these markers. Tests that share a fixture of their file,
or what a cached function made, run in one process, and long ones start first.
"""

from __future__ import annotations

import contextlib
import gc
import signal
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from corpus_sample import ROOT, commit_seed, corpus_case, sample

pytest_plugins = ("support.wall_fixtures", "support.thread_fixtures", "pytester")

if TYPE_CHECKING:
    from support.walls import SharedRooms


# Files of single tests that judge for seconds. A test that starts last is waited for.
LONG = (
    "tests/judge_process/test_processes.py",
    "tests/workbench/test_real_search.py",
    "tests/generators/agent/test_agent_generator.py",
    "tests/generators/test_inductor_cpp_source.py",
    "tests/workbench/models/test_hot_model.py",
)


LESSER_ROAD = "landlock"  # where a machine offers two
# Tests that share what takes seconds and stays in a process: symbols of the libraries of torch, or
# Dynamo, which is imported by whoever counts the work of a task.
TOGETHER = {
    "tests/sampling/test_sampler.py": "symbols",
    "tests/limits/": "floors",
    "tests/engine/claims/": "floors",
    "tests/app/test_limits_command.py": "floors",
    "tests/app/published/": "floors",
    "tests/workbench/models/": "floors",
}


class ByFixture(LoadScopeScheduling):
    """A work unit is one test, or tests that share what takes seconds: a fixture of their file,
    what a cached function made, a wall (the sample of the corpus; the lesser road), a large import.
    Of the whole corpus it is the cases of one task. Units of many tests start first.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        parameters = test.partition("[")[2]
        if file.endswith("test_corpus.py") and self.config.getoption("--exhaustive"):
            return parameters.partition("/")[0] or file
        if shares(file):
            return file
        together = [unit for path, unit in TOGETHER.items() if file.startswith(path)]
        lesser = [LESSER_ROAD] if LESSER_ROAD in parameters else []
        return (*together, *lesser, nodeid)[0]


@cache
def shares(file: str) -> bool:
    """Whether the file, or the conftest beside it, makes something for all tests of the file."""
    beside = (ROOT / file, (ROOT / file).with_name("conftest.py"))
    texts = [one.read_text("utf-8") for one in beside if one.exists()]
    return any('scope="module"' in one or "\n@cache" in one for one in texts)


def pytest_configure() -> None:
    """An interrupt ends what tests start, even in a script's `make test &`, where it is ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay")
    group.addoption(
        "--exhaustive", action="store_true", help="all of the corpus, and what is marked exhaustive"
    )
    group.addoption("--corpus-seed", default="", help="repeat an earlier sample of the corpus")


def corpus_seed(config: pytest.Config) -> str:
    return str(config.getoption("--corpus-seed")) or commit_seed()


@pytest.hookimpl(trylast=True)  # after -k and -m: the sample is of what was asked for
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is exhaustive, and of the corpus what is not in the sample."""
    if config.getoption("--exhaustive"):
        return
    of_corpus = {item: case for item in items if (case := corpus_case(item))}
    sampled = {case.path for case in sample(of_corpus.values(), corpus_seed(config))}
    kept, left_out = [], []
    for item in items:
        unsampled = item in of_corpus and of_corpus[item].path not in sampled
        (left_out if unsampled or item.get_closest_marker("exhaustive") else kept).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = sorted(kept, key=lambda item: not item.nodeid.startswith(LONG))


def pytest_collection_finish() -> None:
    """Thousands of tests and all of torch stay: no collection of garbage looks at them again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """One process judges all chosen cases, or those of a task, and makes what tests share.

    `--dist loadgroup` of xdist 3.8 no longer groups under pytest 9.2: each process drew the exam.
    """
    return ByFixture(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say the seed of the sample, above pytest's closing line."""
    config = terminalreporter.config
    reports = [one for kind in terminalreporter.stats.values() for one in kind]
    ran = any("test_corpus.py" in getattr(one, "nodeid", "") for one in reports)
    if ran and not config.getoption("--exhaustive"):
        terminalreporter.write_line(
            f"corpus: the sample of seed {corpus_seed(config)}; "
            "`make test CORPUS_SEED=...` repeats it, `make corpus` judges everything"
        )


@pytest.fixture(autouse=True)
def _no_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon of the user who runs the tests has no part in them."""
    monkeypatch.setenv("ASSAY_NO_DAEMON", "1")


@pytest.fixture(scope="session")
def rooms() -> Iterator[SharedRooms]:
    """One wall for each road, shared by every test: starting one costs seconds of imports."""
    from support.walls import SharedRooms

    with contextlib.closing(SharedRooms()) as made:
        yield made
