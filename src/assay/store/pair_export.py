"""Pair export: rows as JSON lines or Parquet, by the ending of the file.

The rule: a file is written whole or not at all. In Parquet lists of messages are lists of
structures, as trainers read them; other nested values are JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.errors import UsageError

ENDINGS = (".jsonl", ".parquet")


def checked(path: Path) -> Path:
    """The path, where its ending says how to write it; before anything is read."""
    if path.suffix not in ENDINGS:
        raise UsageError(f"{path}: the file must end in {' or '.join(ENDINGS)}")
    if path.suffix == ".parquet":
        _parquet()
    return path


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Write beside the target and rename."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".parquet":
            pyarrow, parquet = _parquet()
            parquet.write_table(pyarrow.Table.from_pylist([_flat(row) for row in rows]), part)
        else:
            with part.open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        part.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Structures whose fields differ from row to row as JSON."""
    return {name: json.dumps(v) if isinstance(v, dict) else v for name, v in row.items()}


def _parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError as error:
        text = "Parquet needs pyarrow: pip install 'kernel-assay[parquet]'"
        raise UsageError(text) from error
    return pyarrow, parquet
