"""Claim table: the rows of a file, or of a folder with a table or with a file beside each kernel.

The rule: a table is data of someone else. It is parsed, never run; what it names outside its own
folder is not read.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.engine.claims.claim_columns import column_of
from assay.errors import UsageError

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json")
_USUAL = "claims"
_LARGEST = 256 * 2**20


@dataclass(frozen=True)
class TableRow:
    """One row as it stands there."""

    where: str
    values: Mapping[str, Any]
    unread: str = ""  # why it is no row


@dataclass(frozen=True)
class ClaimTable:
    """The rows, and the folder in which the kernels lie."""

    path: Path
    rows: tuple[TableRow, ...]
    titles: tuple[str, ...] = field(default=())

    @property
    def folder(self) -> Path:
        """What paths of the table are relative to."""
        return self.path.parent


def table_at(place: Path) -> ClaimTable | None:
    """The table of a file or in a folder; None where a folder has none."""
    if place.is_dir():
        found = _table_in(place)
        return None if found is None else _read(found)
    if not place.is_file():
        raise UsageError(f"no such file or folder: {place}")
    if place.suffix not in SUFFIXES:
        raise UsageError(f"{place}: claims are a folder or a file of: {', '.join(SUFFIXES)}")
    return _read(place)


def beside(kernel: Path) -> TableRow:
    """The claim in the JSON file beside a kernel; a row without figures where there is none."""
    path = kernel / "claim.json" if kernel.is_dir() else kernel.with_suffix(".json")
    if not path.is_file():
        return TableRow(str(kernel), {})
    try:
        found = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        return TableRow(str(path), {}, f"it is not JSON: {error}")
    if not isinstance(found, dict):
        return TableRow(str(path), {}, "it is no JSON object")
    return TableRow(str(path), found)


def _table_in(folder: Path) -> Path | None:
    files = [path for path in sorted(folder.iterdir()) if path.suffix in SUFFIXES]
    named = [path for path in files if path.stem.lower() == _USUAL] or files
    if len(named) > 1:
        several = ", ".join(path.name for path in named)
        raise UsageError(f"{folder} holds several tables: give one of {several}")
    return named[0] if named else None


def _read(path: Path) -> ClaimTable:
    text = _text(path)
    if path.suffix == ".jsonl":
        rows = tuple(_json_lines(text, path))
    elif path.suffix == ".json":
        rows = tuple(_json_list(text, path))
    else:
        rows = tuple(_separated(text, path, "\t" if path.suffix == ".tsv" else ","))
    titles = dict.fromkeys(title for row in rows for title in row.values)
    if not rows:
        raise UsageError(f"{path} holds no rows")
    if not any(column_of(title) for title in titles):
        raise UsageError(
            f"{path} has no column that is known: {', '.join(titles) or 'it has none'}"
        )
    return ClaimTable(path, rows, tuple(titles))


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > _LARGEST:
            raise UsageError(f"{path} is larger than {_LARGEST // 2**20} MiB")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {path}: it is not UTF-8 text") from error


def _separated(text: str, path: Path, delimiter: str) -> Iterator[TableRow]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restkey="")
    try:
        for row in reader:
            yield TableRow(f"{path.name}:{reader.line_num}", row)
    except csv.Error as error:
        raise UsageError(f"{path}:{reader.line_num} cannot be read: {error}") from error


def _json_lines(text: str, path: Path) -> Iterator[TableRow]:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            where = f"{path.name}:{number}"
            try:
                yield _object(json.loads(line), where)
            except (ValueError, RecursionError) as error:
                yield TableRow(where, {}, f"it is not JSON: {error}")


def _json_list(text: str, path: Path) -> Iterator[TableRow]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not JSON: {error}") from error
    if isinstance(found, dict):
        found = next((one for one in found.values() if isinstance(one, list)), [found])
    if not isinstance(found, list):
        raise UsageError(f"{path} holds no list of claims")
    for number, one in enumerate(found, start=1):
        yield _object(one, f"{path.name}[{number}]")


def _object(found: Any, where: str) -> TableRow:
    if not isinstance(found, dict):
        return TableRow(where, {}, "it is no JSON object")
    return TableRow(where, found)
