"""The tables. What is asked for often has a column; everything else is in a blob.

The rule: a change of a table raises `STORE_VERSION` and adds a step to `MIGRATIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    select,
)

STORE_VERSION = 2

metadata = MetaData()

facts = Table(
    "facts",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

blobs = Table(
    "blobs",
    metadata,
    Column("id", String(64), primary_key=True),  # SHA-256 of the content
    Column("data", LargeBinary, nullable=False),  # compressed
)

runs = Table(
    "runs",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("started_at", Float, nullable=False),  # seconds since 1970
    Column("suite", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("assay", String(32), nullable=False),  # version
    Column("secret", String(64), nullable=False, default=""),  # exams are drawn from it
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", String(64), primary_key=True),  # of the whole record: directions share a source
    Column("name", Text, nullable=False),
    Column("blob", String(64), ForeignKey("blobs.id"), nullable=False),
)

candidates = Table(
    "candidates",
    metadata,
    Column("id", String(64), primary_key=True),  # of its content
    Column("language", String(32), nullable=False),
    Column("blob", String(64), ForeignKey("blobs.id"), nullable=False),
)

# One row for each candidate that a run was given. Two rows may share a key: the same content.
entries = Table(
    "entries",
    metadata,
    Column("run", String(64), ForeignKey("runs.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("task", String(64), ForeignKey("tasks.id"), nullable=False),
    Column("candidate", String(64), ForeignKey("candidates.id"), nullable=False),
    Column("provenance", JSON, nullable=False),
    Column("key", String(64), nullable=False),  # of task, candidate, settings and version
    Column("submission", Integer, nullable=False, default=0),  # what was added together
    Column("generator", Text),  # from here on: out of the provenance, to be asked for
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("tokens_cached", Integer),
    Column("cost_usd", Float),
    Column("seconds", Float),  # that the generator took
    Index("entries_by_key", "run", "key"),
)
COSTS = ("tokens_in", "tokens_out", "tokens_cached", "cost_usd", "seconds")

judgements = Table(
    "judgements",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("task", String(64), nullable=False),
    Column("candidate", String(64), nullable=False),
    Column("status", String(32), nullable=False),
    Column("correct", String(16), nullable=False),
    Column("honest", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    Column("coverage", Float),
    Column("elapsed_s", Float, nullable=False),
    Column("judged_at", Float, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("device", String(64)),
    Column("stages", JSON),  # seconds by stage
    Column("blob", String(64), ForeignKey("blobs.id"), nullable=False),
)

measurements = Table(
    "measurements",
    metadata,
    Column("key", String(64), ForeignKey("judgements.key"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("baseline", Text, nullable=False),
    Column("candidate_us", Float),
    Column("baseline_us", Float),
    Column("speedup", Float),
    Column("speedup_low", Float),
    Column("speedup_high", Float),
)

# What was found in one judgement, to be counted without reading it whole.
evidence = Table(
    "evidence",
    metadata,
    Column("key", String(64), ForeignKey("judgements.key"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", String(64), nullable=False),
    Column("severity", String(32), nullable=False),
    Column("place", Text, nullable=False),
    Column("text", Text, nullable=False),
    Index("evidence_by_kind", "kind"),
)

# Who is judging what now, so that two processes do not judge the same candidate.
claims = Table(
    "claims",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("owner", String(128), nullable=False),
    Column("until", Float, nullable=False),  # seconds since 1970
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("run", String(64), ForeignKey("runs.id"), nullable=False),
    Column("at", Float, nullable=False),  # seconds since 1970
    Column("kind", String(32), nullable=False),
    Column("data", JSON, nullable=False),
    Index("events_by_run", "run", "kind"),
)


# From a version to the next: statements, all in one transaction with the new version's number.
# Tables that are new are made before; columns that are new may be null or have a default.
MIGRATIONS: dict[int, tuple[str, ...]] = {
    1: (
        "ALTER TABLE runs ADD COLUMN secret VARCHAR(64) NOT NULL DEFAULT ''",
        "ALTER TABLE entries ADD COLUMN submission INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE entries ADD COLUMN generator TEXT",
        "ALTER TABLE entries ADD COLUMN tokens_in INTEGER",
        "ALTER TABLE entries ADD COLUMN tokens_out INTEGER",
        "ALTER TABLE entries ADD COLUMN tokens_cached INTEGER",
        "ALTER TABLE entries ADD COLUMN cost_usd FLOAT",
        "ALTER TABLE entries ADD COLUMN seconds FLOAT",
        "ALTER TABLE judgements ADD COLUMN device VARCHAR(64)",
        "ALTER TABLE judgements ADD COLUMN stages JSON",
    )
}


def migrate(connection: Connection, found: int) -> None:
    """Bring tables of an older version to this one; what is stored is kept."""
    for version in range(found, STORE_VERSION):
        for statement in MIGRATIONS[version]:
            connection.exec_driver_sql(statement)
    metadata.create_all(connection)
    _fill_costs(connection)


def _fill_costs(connection: Connection) -> None:
    """The columns of a provenance that was stored before there were columns for it."""
    unfilled = select(entries.c.run, entries.c.number, entries.c.provenance)
    unfilled = unfilled.where(entries.c.generator.is_(None), entries.c.cost_usd.is_(None))
    for row in connection.execute(unfilled).all():
        one = (entries.c.run == row.run) & (entries.c.number == row.number)
        connection.execute(entries.update().where(one).values(**cost_columns(row.provenance)))


def cost_columns(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What a provenance says of cost, and who made the candidate; null where it does not say."""
    generator = provenance.get("generator") or {}
    return {"generator": generator.get("name")} | {name: provenance.get(name) for name in COSTS}
