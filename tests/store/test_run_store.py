"""Runs, entries and judgements: stored once, in order, whole; in a file and on a server."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.data.candidate import Candidate, Provenance
from assay.data.run import Entry, Run, RunEvent
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.errors import UsageError
from assay.store.parquet_export import export
from assay.store.run_store import RunStore
from sample_records import TASK, TIMING, candidate, judgement
from support import postgres_server

SETTINGS = Settings()
RUN = Run(id="run-1", suite="native", settings=SETTINGS, assay="0.1.0", started_at=1.0)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    if not postgres_server.is_installed():
        pytest.skip("no PostgreSQL server is installed")
    with postgres_server.running() as url:
        yield url


@pytest.fixture(params=["file", "server"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "file":
        yield str(tmp_path / "run")
        return
    from sqlalchemy import create_engine

    from assay.store.schema import metadata

    url = request.getfixturevalue("server")
    yield url
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    metadata.drop_all(engine)
    engine.dispose()


def _entries(count: int) -> list[Entry]:
    return [
        Entry(number=i, task=TASK, candidate=candidate(f"k{i}.py", f"x = {i}"))
        for i in range(count)
    ]


def _key(entry: Entry) -> str:
    return entry.key(RUN.settings, RUN.assay)


def _filled(where: str, count: int = 3) -> RunStore:
    store = RunStore(where, create=True)
    store.begin(RUN)
    store.add(RUN, _entries(count))
    return store


def test_entries_come_back_as_they_were_given(where: str) -> None:
    given = _entries(150)
    made = Provenance(round=2, tokens_in=10, cost_usd=0.5, parents=("a",))
    given[7] = given[7].model_copy(
        update={"candidate": given[7].candidate.model_copy(update={"provenance": made})}
    )
    with RunStore(where, create=True) as store:
        store.begin(RUN)
        assert store.add(RUN, given) == 150
        assert list(store.entries(RUN)) == given
    with RunStore(where) as store:
        assert store.run("run") == RUN and list(store.entries(RUN)) == given


def test_a_judgement_is_stored_once(where: str) -> None:
    with _filled(where) as store:
        (first, *_) = store.entries(RUN)
        made = judgement(first.candidate, SETTINGS, Status.ACCEPTED)
        assert store.record(_key(first), made) is True
        other = judgement(first.candidate, SETTINGS, Status.INCORRECT)
        assert store.record(_key(first), other) is False
        assert store.judgement(_key(first)) == made
        assert [e.number for e in store.entries(RUN, open_only=True)] == [1, 2]


def test_verdicts_are_those_of_the_judgements(where: str) -> None:
    with _filled(where, count=70) as store:
        for entry in list(store.entries(RUN))[::3]:
            store.record(_key(entry), judgement(entry.candidate, SETTINGS, Status.INCORRECT))
        whole = [(entry, one and one.verdict) for entry, one in store.judgements(RUN)]
        assert list(store.verdicts(RUN)) == whole
        assert sum(verdict is None for _, verdict in whole) == 46


def test_a_failure_of_ours_gives_way_to_an_answer(where: str) -> None:
    with _filled(where) as store:
        (first, *_) = store.entries(RUN)
        assert store.record(_key(first), judgement(first.candidate, SETTINGS, Status.NOT_RUN))
        assert [e.number for e in store.entries(RUN, open_only=True)] == [0, 1, 2]
        assert store.record(_key(first), judgement(first.candidate, SETTINGS, Status.ACCEPTED))
        assert store.summary(RUN)[0]["attempts"] == 2
        assert store.counts(RUN) == {"accepted": 1, "open": 2}


def test_the_same_content_under_two_names_is_judged_once(where: str) -> None:
    twins = [Entry(number=i, task=TASK, candidate=candidate(name)) for i, name in enumerate("ab")]
    with RunStore(where, create=True) as store:
        store.begin(RUN)
        store.add(RUN, twins)
        store.record(_key(twins[0]), judgement(twins[0].candidate, SETTINGS, Status.ACCEPTED))
        assert [row["status"] for row in store.summary(RUN)] == ["accepted", "accepted"]
        assert list(store.entries(RUN, open_only=True)) == []


def test_other_settings_or_another_version_are_another_question() -> None:
    entry = _entries(1)[0]
    keys = {
        entry.key(SETTINGS, "1"),
        entry.key(SETTINGS, "2"),
        entry.key(SETTINGS.model_copy(update={"timing": False}), "1"),
    }
    assert len(keys) == 3
    assert entry.key(SETTINGS.model_copy(update={"jobs": 4}), "1") == entry.key(SETTINGS, "1")


def test_a_claim_keeps_others_away_until_it_is_given_up(where: str) -> None:
    with _filled(where) as store:
        assert store.claim("k", "me") and store.claim("k", "me")
        assert not store.claim("k", "you")
        store.release("me")
        assert store.claim("k", "you")


def test_a_claim_that_nobody_renews_lapses(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with _filled(where) as store:
        assert store.claim("k", "me")
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 3600)
        assert store.claim("k", "you")


def test_events_are_kept_in_order(where: str) -> None:
    told = [RunEvent(at=float(i), kind="ab"[i % 2], data={"n": i}) for i in range(4)]
    with _filled(where) as store:
        for one in told:
            store.tell(RUN, one)
        assert store.events(RUN) == told and store.events(RUN, "b") == told[1::2]


def test_timings_have_rows_of_their_own(where: str, tmp_path: Path) -> None:
    with _filled(where) as store:
        (first, *_) = store.entries(RUN)
        made = judgement(first.candidate, SETTINGS, Status.ACCEPTED)
        verdict = made.verdict.model_copy(update={"timing": (TIMING,), "timing_reason": ""})
        store.record(_key(first), made.model_copy(update={"verdict": verdict}))
        assert store.measurements(RUN)[0]["speedup"] == 2.0
        assert export(store, RUN, tmp_path / "run.parquet") == 3
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "run.parquet")
    assert table.column("status").to_pylist() == ["accepted", None, None]


def test_an_unknown_run_is_named(where: str) -> None:
    with _filled(where) as store, pytest.raises(UsageError, match=r"no run is called 'x'.*run-1"):
        store.run("x")


def _write(where: str, name: str, count: int) -> None:
    with RunStore(where) as store:
        for i in range(count):
            made: Candidate = candidate(f"{name}{i}", f"{name} {i}")
            store.record(f"{name}{i}", judgement(made, SETTINGS, Status.ACCEPTED))


def test_two_processes_that_write_lose_nothing(where: str) -> None:
    _filled(where).close()
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write, args=(where, name, 40)) for name in "ab"]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert [one.exitcode for one in writers] == [0, 0]
    with RunStore(where) as store:
        assert all(store.judgement(f"{name}{i}") for name in "ab" for i in range(40))


def test_what_was_stored_survives_a_kill(where: str) -> None:
    _filled(where).close()
    writer = multiprocessing.get_context("spawn").Process(target=_write, args=(where, "a", 10_000))
    writer.start()
    with RunStore(where) as store:
        while store.judgement("a5") is None:
            time.sleep(0.02)
        os.kill(writer.pid or 0, signal.SIGKILL)
        writer.join()
        known = [i for i in range(10_000) if store.judgement(f"a{i}")]
        assert known == list(range(len(known))) and len(known) >= 6
        store.record("b", judgement(candidate(), SETTINGS, Status.ACCEPTED))
