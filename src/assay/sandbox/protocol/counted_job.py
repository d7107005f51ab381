"""Counting: what the job of a counted run holds, as it lies on disk between the two processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.sandbox.protocol.requests import Construct, Load

JOB_FILE = "job.pt"


@dataclass(frozen=True)
class CountedJob:
    """What to load, how to make an instance of it, and the arguments of its call."""

    load: Load
    construct: Construct
    inputs: tuple[Any, ...]
