"""RawCall: one call as it was found, before anyone has compared it with anything."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from assay.sandbox.protocol.replies import CallRecord, OutputHeader


@dataclass(frozen=True)
class RawOutput:
    """One output as it was found: the child's header, and the bytes as a tensor where they fit."""

    header: OutputHeader | None
    tensor: torch.Tensor | None


@dataclass(frozen=True)
class RawUpdate:
    """What a call left in an input that it may change."""

    after: torch.Tensor
    changed: bool


@dataclass(frozen=True)
class RawCall:
    """One call as it was found."""

    record: CallRecord | None
    outputs: tuple[RawOutput, ...]
    inputs_changed: tuple[str, ...]  # but for those that the call may change
    bands_broken: tuple[str, ...]
    guarded: bool
    updates: tuple[RawUpdate, ...] = ()  # of the inputs it may change; none where not looked at


@dataclass(frozen=True)
class BatchResult:
    """A batch as it was found."""

    calls: tuple[RawCall, ...]
    outside_ns: int
    extra_processes: int  # processes alive beside the candidate's own
    statement: str
