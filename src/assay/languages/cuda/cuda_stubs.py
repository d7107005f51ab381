"""Stub headers: enough of torch's C++ names for nvcc to read past a candidate's host code.

The rule: only device code is taken from such a compilation. Torch's own headers cost nvcc a minute
and a half; host code needs them to run, device code hardly ever.
"""

from __future__ import annotations

import re
from importlib.resources import files

NAME = "host_stubs.h"
_INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*[<\"]((?:torch|ATen|c10|pybind11|caffe2)/[^>\"]+)[>\"]",
    re.MULTILINE,
)
_NAMES = re.compile(r"\b(?:torch|at|c10|pybind11)\s*::|\b(?:TORCH_CHECK|AT_DISPATCH_\w+)\b")


def torch_includes(text: str) -> tuple[str, ...]:
    """Headers of torch that a source asks for."""
    return tuple(dict.fromkeys(_INCLUDE.findall(text)))


def needs_torch(text: str) -> bool:
    """Whether a source names anything of torch; load_inline includes its headers unasked."""
    return bool(torch_includes(text)) or _NAMES.search(text) is not None


def stub_files(text: str) -> dict[str, str]:
    """The stub folder for a source: one header, and a way to it under every name asked for."""
    header = files("assay.languages").joinpath("cuda_stubs.h").read_text("utf-8")
    return {NAME: header} | {
        path: f'#pragma once\n#include "{"../" * path.count("/")}{NAME}"\n'
        for path in torch_includes(text)
        if ".." not in path.split("/")
    }
