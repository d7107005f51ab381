"""Profiles written by hand, with both kinds of rows that a profiler writes for one time."""

from __future__ import annotations

from assay.workbench.models.profile_rows import NODE_PREFIX, ProfileRow, RowKind, TensorForm

FORM = TensorForm(shape=(8, 16), dtype="float32", strides=(16, 1))
OTHER = TensorForm(shape=(4, 16), dtype="float32", strides=(16, 1))


def operation(
    name: str, start: float, end: float, number: int, inputs: tuple[TensorForm, ...] = (FORM,)
) -> ProfileRow:
    return ProfileRow(RowKind.OPERATION, name, start, end, number=number, inputs=inputs)


def kernel(name: str, start: float, end: float, launched_by: int) -> ProfileRow:
    return ProfileRow(RowKind.DEVICE, name, start, end, launched_by=launched_by)


def node(name: str, start: float, end: float) -> ProfileRow:
    return ProfileRow(RowKind.ANNOTATION, NODE_PREFIX + name, start, end)
