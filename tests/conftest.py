"""What `make test` leaves to `make corpus`, and how to repeat its sample of the corpus.

The rule: only a marker leaves a test out (`exhaustive`, or `corpus` and not in the sample), and
`make corpus` runs exactly the tests with these markers. Tests that share a fixture of their file
run in one process, and long ones start first.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from corpus_sample import ROOT, commit_seed, corpus_case, sample

pytest_plugins = ("support.wall_fixtures", "support.thread_fixtures", "pytester")

if TYPE_CHECKING:
    from support.walls import Room


# Files of single tests that judge for seconds. A test that starts last is waited for.
LONG = (
    "tests/judge_process/test_processes.py",
    "tests/workbench/test_real_search.py",
    "tests/generators/agent/test_agent_generator.py",
    "tests/generators/test_inductor_cpp_source.py",
    "tests/workbench/models/test_hot_model.py",
)


class ByFixture(LoadScopeScheduling):
    """A work unit is one test, the tests of a file that share a fixture, or the cases of one task
    of the corpus. Units of many tests start first.
    """

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        task = test.partition("[")[2].partition("/")[0]
        if file.endswith("test_corpus.py") and task:
            return task
        return file if has_module_fixture(file) else nodeid


@cache
def has_module_fixture(file: str) -> bool:
    """Whether the file, or the conftest beside it, makes something for all tests of the file."""
    beside = (ROOT / file, (ROOT / file).with_name("conftest.py"))
    return any('scope="module"' in one.read_text("utf-8") for one in beside if one.exists())


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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """One process judges all chosen cases of a task, and makes what the tests of a file share.

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
def rooms() -> Iterator[dict[str, Room]]:
    """One wall for each road, shared by every test: starting one costs seconds of imports."""
    from assay.sandbox.host.wall import Wall
    from support.walls import ROADS, ROOMS, Room

    with contextlib.ExitStack() as stack:  # both warm up at the same time
        yield {road: Room(stack.enter_context(Wall((), ROOMS)), road) for road in ROADS}
