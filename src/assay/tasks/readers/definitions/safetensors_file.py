"""SafetensorsFile: one tensor of a .safetensors file as raw bytes, with its dtype and shape.

The rule: a file is a length, a JSON header and bytes, and nothing in it is code. Values go into the
task's source, so that the task's hash covers them and judging opens no file.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from assay.errors import UsageError

LARGEST = 16 << 20  # bytes of one tensor that goes into a source
_LONGEST_HEADER = 100 << 20
_DTYPES = {
    "F64": "float64",
    "F32": "float32",
    "F16": "float16",
    "BF16": "bfloat16",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
    "I64": "int64",
    "I32": "int32",
    "I16": "int16",
    "I8": "int8",
    "U8": "uint8",
    "BOOL": "bool",
}


@dataclass(frozen=True)
class StoredTensor:
    """A tensor as it lies in the file."""

    dtype: str  # as torch calls it
    shape: tuple[int, ...]
    content: bytes


def stored_tensor(path: Path, key: str) -> StoredTensor:
    """The tensor of that key."""
    try:
        with path.open("rb") as file:
            start = file.read(8)
            if start == b"version ":
                raise UsageError(f"{path.name} is a git-LFS pointer: fetch the file itself")
            length = int.from_bytes(start, "little")
            if len(start) < 8 or length > _LONGEST_HEADER:
                raise UsageError(f"{path.name} is no safetensors file")
            header = json.loads(file.read(length))
            told = header[key]
            begin, end = told["data_offsets"]
            if end - begin > LARGEST:
                raise UsageError(
                    f"'{key}' in {path.name} has {end - begin} bytes; at most {LARGEST} are taken"
                )
            file.seek(8 + length + begin)
            return StoredTensor(
                _DTYPES[told["dtype"]], tuple(told["shape"]), file.read(end - begin)
            )
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except KeyError as error:
        raise UsageError(f"{path.name} has no usable tensor '{key}': {error} is missing") from error
    except (ValueError, TypeError) as error:
        raise UsageError(f"{path.name} is no safetensors file: {error}") from error


def found_at(name: str, folders: tuple[Path, ...]) -> Path:
    """The file, with leading parts of its path left out until one of the folders holds it."""
    parts = Path(name).parts
    for folder in folders:
        for skipped in range(len(parts)):
            place = folder.joinpath(*parts[skipped:])
            if ".." not in parts and place.is_file():
                return place
    raise UsageError(f"the file {name} is not there")
