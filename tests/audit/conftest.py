"""One thread, and small tasks in the format of the KernelBench family."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch

from assay.data.audit import AuditRecord
from assay.data.settings import Level
from assay.data.task import Task

_SOURCE = """
import torch
import torch.nn as nn
class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
    def forward(self, x):
        return {expression}
batch = 16
features = {features}
def get_inputs():
    return [torch.rand(batch, features)]
def get_init_inputs():
    return [features]
"""


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def source_of() -> Callable[[str, int], str]:
    """A task whose forward returns `expression` of x and self.linear."""

    def write(expression: str, features: int) -> str:
        return _SOURCE.format(expression=expression, features=features)

    return write


@pytest.fixture
def audited(source_of: Callable[[str, int], str]) -> Callable[..., AuditRecord]:
    """The audit of such a task, at `quick`."""
    from assay.audit.auditor import audit

    def ask(expression: str, features: int = 64) -> AuditRecord:
        source = source_of(expression, features)
        return audit(Task(id="t", format="kernelbench", source=source), Level.QUICK)

    return ask
