"""The tables. What is asked for often has a column; everything else is in a blob.

The rule: a change of a table raises `STORE_VERSION` and adds a step to `MIGRATIONS`.
"""

from __future__ import annotations

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
)

STORE_VERSION = 1

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
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", String(64), primary_key=True),  # of its content
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
    Index("entries_by_key", "run", "key"),
)

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


# From a version to the next; each is one transaction with the new version's number.
MIGRATIONS: dict[int, tuple[str, ...]] = {}


def migrate(connection: Connection, found: int) -> None:
    """Bring tables of an older version to this one; what is stored is kept."""
    for version in range(found, STORE_VERSION):
        for statement in MIGRATIONS[version]:
            connection.exec_driver_sql(statement)
