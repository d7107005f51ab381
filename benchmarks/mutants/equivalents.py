"""Equivalents: mutants that compute what the kernel they were made of computes, and why.

The rule: one written reason each in equivalents.toml, under the mutant's id. The id holds a hash of
the text, so that a changed kernel or mutator ends the note; a note without a mutant is an error.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("equivalents.toml")
REASONS: dict[str, str] = tomllib.loads(FILE.read_text(encoding="utf-8"))
