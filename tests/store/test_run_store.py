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
from assay.data.workload import Direction
from assay.errors import UsageError
from assay.store import run_store
from assay.store.parquet_export import export
from assay.store.run_store import RunStore
from sample_records import TASK, TIMING, WRONG, candidate, judgement
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
        assert store.run("run").model_copy(update={"secret": ""}) == RUN
        assert list(store.entries(RUN)) == given
        assert store.summary(RUN)[7]["cost_usd"] == 0.5
        assert store.summary(RUN)[7]["tokens_in"] == 10


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


def test_what_is_added_later_comes_after_and_nothing_is_dropped(where: str) -> None:
    first = _entries(3)
    with RunStore(where, create=True) as store:
        store.begin(RUN)
        assert store.add(RUN, first) == 3 and store.add(RUN, first) == 0
        new = Entry(number=0, task=TASK, candidate=candidate("a.py", "sorted before them"))
        moved = [one.model_copy(update={"number": one.number + 1}) for one in first]
        assert store.add(RUN, [new, *moved]) == 1
        found = list(store.entries(RUN))
        assert [(e.number, e.candidate.name, e.submission) for e in found] == [
            (0, "k0.py", 0),
            (1, "k1.py", 0),
            (2, "k2.py", 0),
            (3, "a.py", 1),
        ]


def test_what_is_given_twice_is_there_twice_and_no_more(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_store, "_SUBMISSION", 2)
    twice = [Entry(number=i, task=TASK, candidate=candidate("same")) for i in range(5)]
    with RunStore(where, create=True) as store:
        store.begin(RUN)
        assert store.add(RUN, twice) == 5
        assert store.add(RUN, twice) == 0
        assert len(store.sharing(RUN, _key(twice[0]))) == 5


def test_tasks_of_one_source_are_kept_apart(where: str) -> None:
    backward = TASK.model_copy(update={"id": "softmax.backward", "direction": Direction.BACKWARD})
    given = [
        Entry(number=i, task=task, candidate=candidate(str(i)))
        for i, task in enumerate((TASK, backward))
    ]
    with RunStore(where, create=True) as store:
        store.begin(RUN)
        store.add(RUN, given)
        assert list(store.entries(RUN)) == given
        assert [row["task"] for row in store.summary(RUN)] == ["softmax", "softmax.backward"]
        assert store.keys(RUN) == [_key(one) for one in given]


def test_a_run_is_begun_once_and_keeps_its_secret(where: str) -> None:
    later = RUN.model_copy(update={"id": "later-1", "started_at": 2.0})
    with RunStore(where, create=True) as store:
        made = store.begin(RUN)
        assert len(bytes.fromhex(made.secret)) == 32
        assert store.begin(later, like="-1") == made == store.begin(RUN)
        assert store.runs() == [made]
        assert made.secret not in made.model_dump_json() + repr(made)


def test_evidence_is_counted_without_reading_judgements(where: str) -> None:
    with _filled(where) as store:
        (first, *_) = store.entries(RUN)
        made = judgement(first.candidate, SETTINGS, Status.INCORRECT)
        odd = WRONG.model_copy(update={"text": "got \0, expected 1"})
        verdict = made.verdict.model_copy(update={"evidence": (WRONG, odd)})
        store.record(_key(first), made.model_copy(update={"verdict": verdict}))
        found = store.evidence(RUN)
        assert [row["kind"] for row in found] == ["wrong_value", "wrong_value"]
        assert found[1]["text"] == "got \\0, expected 1"


def test_only_what_nobody_else_claims_is_handed_out(where: str) -> None:
    with _filled(where) as store:
        first, second, third = store.entries(RUN)
        store.claim(_key(first), "me")
        store.claim(_key(second), "you")
        store.record(_key(third), judgement(third.candidate, SETTINGS, Status.ACCEPTED))
        assert list(store.entries(RUN, free_for="me")) == [first]
        assert store.open_keys(RUN) == {_key(first), _key(second)}


def _write(where: str, name: str, count: int) -> None:
    with RunStore(where) as store:
        for i in range(count):
            made: Candidate = candidate(f"{name}{i}", f"{name} {i}")
            store.record(f"{name}{i}", judgement(made, SETTINGS, Status.ACCEPTED))


def _write_all(where: str, name: str, count: int) -> None:
    """Every kind of record, and judgements of the same keys as the other process."""
    with RunStore(where, create=True) as store:
        run = store.begin(RUN.model_copy(update={"id": f"{name}-both"}), like="-both")
        store.add(run, _entries(count))
        won = 0
        for i, entry in enumerate(_entries(count)):
            made = judgement(entry.candidate, SETTINGS, Status.ACCEPTED)
            verdict = made.verdict.model_copy(update={"reason": name, "evidence": (WRONG,)})
            won += store.record(_key(entry), made.model_copy(update={"verdict": verdict}))
            store.tell(run, RunEvent(at=float(i), kind=name, data={"n": i}))
        store.tell(run, RunEvent(at=0.0, kind="won", data={"name": name, "count": won}))


def test_two_processes_that_write_lose_nothing_and_double_nothing(where: str) -> None:
    fork, count = multiprocessing.get_context("fork"), 60
    writers = [fork.Process(target=_write_all, args=(where, name, count)) for name in "ab"]
    for one in writers:
        one.start()
    for one in writers:
        one.join()
    assert [one.exitcode for one in writers] == [0, 0]
    with RunStore(where) as store:
        (run,) = store.runs()
        rows = store.summary(run)
        assert len(rows) == count and {row["status"] for row in rows} == {"accepted"}
        assert {row["attempts"] for row in rows} == {1}
        assert len(store.evidence(run)) == count
        for name in "ab":
            assert [e.data["n"] for e in store.events(run, name)] == list(range(count))
        won = {e.data["name"]: e.data["count"] for e in store.events(run, "won")}
        assert sum(won.values()) == count
        by = [made.verdict.reason for _, made in store.judgements(run) if made is not None]
        assert {name: by.count(name) for name in "ab"} == won


def test_what_was_stored_survives_a_kill(where: str) -> None:
    _filled(where).close()
    writer = multiprocessing.get_context("fork").Process(target=_write, args=(where, "a", 1_000))
    writer.start()
    with RunStore(where) as store:
        while store.judgement("a5") is None:
            time.sleep(0.02)
        os.kill(writer.pid or 0, signal.SIGKILL)
        writer.join()
        known = [i for i in range(1_000) if store.judgement(f"a{i}")]
        assert known == list(range(len(known))) and len(known) >= 6
        store.record("b", judgement(candidate(), SETTINGS, Status.ACCEPTED))
