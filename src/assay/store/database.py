"""A database, opened: a file in a folder, or a server by its URL.

The rule: what a user can mend is one line: a folder that cannot be written, a full disk, a server
that is away, a store of another version.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, inspect, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from assay.errors import HostError, UsageError
from assay.store.schema import MIGRATIONS, STORE_VERSION, facts, metadata, migrate

FILE_NAME = "store.sqlite"
_VERSION = "store_version"
_BUSY_MS = 60_000  # how long a writer waits for another one
_READ_ONLY = "cannot write into {}: permission denied, or read-only"
_POSTGRESQL = "postgresql"
_WRITES = "assay_writes"
_LOCK = 0x61737361  # of PostgreSQL's advisory locks: one writer at a time where that matters


class Database:
    """Connections to one store, each transaction whole or not there at all."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine, self.where = engine, where

    @contextlib.contextmanager
    def writing(self, alone: bool = False) -> Iterator[Connection]:
        """One transaction that writes; `alone`: no other one that is alone runs beside it.

        SQLite has one writer at a time anyway.
        """
        engine = self._engine.execution_options(**{_WRITES: True})
        with self._said(), engine.begin() as connection:
            if alone:
                self._keep_others_out(connection)
            yield connection

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view."""
        with self._said(), self._engine.connect() as connection:
            yield connection

    def prepare(self, create: bool) -> None:
        """Make the tables, or bring them to this version; a newer version is not touched."""
        with self._engine.connect() as connection:
            made = inspect(connection).has_table(facts.name)
            found = _version(connection) if made else None
        if not made and not create:
            raise UsageError(f"{self.where} holds no run: it has no tables of Assay")
        if found == STORE_VERSION:
            return
        _refuse_unknown(found, self.where)
        engine = self._engine.execution_options(**{_WRITES: True})
        with engine.begin() as connection:
            self._keep_others_out(connection)  # another process may be at the same
            _bring_forward(connection, self.where)

    def insert(self, table: Any) -> Any:
        """An insert that can be told what to do on a conflict."""
        return postgresql.insert(table) if self._is_served else sqlite.insert(table)

    def close(self) -> None:
        """Give every connection back."""
        self._engine.dispose()

    @property
    def _is_served(self) -> bool:
        return self._engine.dialect.name == _POSTGRESQL

    def _keep_others_out(self, connection: Connection) -> None:
        if self._is_served:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")

    @contextlib.contextmanager
    def _said(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            if getattr(error.orig, "sqlite_errorname", "") == "SQLITE_READONLY":
                raise UsageError(_READ_ONLY.format(self.where)) from error
            raise HostError(f"the store {self.where} cannot be used: {_words(error)}") from error


def opened(where: str | Path, create: bool = False) -> Database:
    """The store at a folder or a URL, made first where `create` is set."""
    url = str(where)
    engine = _server(url) if "://" in url else _file(Path(where), create)
    database = Database(engine, url)
    try:
        database.prepare(create)
    except DBAPIError as error:
        database.close()
        raise UsageError(f"cannot open the store {url}: {_words(error)}") from error
    except BaseException:
        database.close()
        raise
    return database


def _file(folder: Path, create: bool) -> Engine:
    path = folder / FILE_NAME
    if create:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from error
        if not os.access(folder, os.W_OK):
            raise UsageError(_READ_ONLY.format(folder))
    elif not path.exists():
        raise UsageError(f"{folder} holds no run: there is no {FILE_NAME} in it")
    engine = create_engine(_file_url(path))
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _file_url(path: Path) -> URL:
    """The file; where it cannot be written, as one that nobody writes.

    SQLite would else make two files beside it. Where those of a writer are there they are read.
    """
    there = [path.parent, path] if path.exists() else [path.parent]
    if all(os.access(one, os.W_OK) for one in there):
        return URL.create("sqlite", database=str(path))
    log = path.with_name(f"{path.name}-wal")
    lasting = {} if log.exists() and log.stat().st_size else {"immutable": "1"}
    query = {"mode": "ro", "uri": "true", **lasting}
    return URL.create("sqlite", database=f"file:{quote(str(path))}", query=query)


def _set_up(connection: Any, _record: Any) -> None:
    """Readers do not wait for a writer, and what is committed survives a power cut."""
    connection.isolation_level = None  # transactions begin where we say
    for pragma in ("journal_mode=WAL", "synchronous=FULL", f"busy_timeout={_BUSY_MS}"):
        with contextlib.suppress(Exception):  # a read-only folder can still be read
            connection.execute(f"PRAGMA {pragma}")


def _begin(connection: Connection) -> None:
    """A writer takes its lock at once: one that read first could find another before it."""
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _server(url: str) -> Engine:
    try:
        parsed = make_url(url)
        if parsed.drivername == _POSTGRESQL:
            parsed = parsed.set(drivername=f"{_POSTGRESQL}+psycopg")
        if not parsed.drivername.startswith(_POSTGRESQL):
            raise UsageError(f"{url} is no PostgreSQL URL; give postgresql://USER@HOST/NAME")
        return create_engine(parsed, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise UsageError(f"{url} is no store: {error}") from error
    except ModuleNotFoundError as error:
        text = "PostgreSQL needs psycopg: pip install 'kernel-assay[postgresql]'"
        raise UsageError(text) from error


def _version(connection: Connection) -> int | None:
    found = connection.execute(select(facts.c.value).where(facts.c.name == _VERSION)).scalar()
    return None if found is None else int(found)


def _refuse_unknown(found: int | None, where: str) -> None:
    if found is None:
        return
    if found > STORE_VERSION or any(v not in MIGRATIONS for v in range(found, STORE_VERSION)):
        raise UsageError(
            f"the store {where} has version {found}, and this Assay reads {STORE_VERSION}: use "
            "the Assay that wrote it; nothing was changed"
        )


def _bring_forward(connection: Connection, where: str) -> None:
    """Tables of this version, whatever was there; all in the transaction of the connection."""
    found = None
    if inspect(connection).has_table(facts.name):
        found = _version(connection)
    if found is None:
        metadata.create_all(connection)
        connection.execute(facts.insert().values(name=_VERSION, value=str(STORE_VERSION)))
        return
    _refuse_unknown(found, where)
    if found < STORE_VERSION:
        migrate(connection, found)
        changed = facts.update().where(facts.c.name == _VERSION)
        connection.execute(changed.values(value=str(STORE_VERSION)))


def _words(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]
