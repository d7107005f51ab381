"""Module state: frozen parameters and the other mode, for as long as a call takes.

The rule: the module is as it was when the call is over.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from assay.sandbox.child.untouched.held_state import parameters_of, parts_of
from assay.sandbox.protocol.surroundings import Surroundings


@contextlib.contextmanager
def module_state(instance: Any, around: Surroundings) -> Iterator[None]:
    """Its parameters frozen, and its modules in their other mode, for as long as a call takes."""
    modes = [(one, one.training) for one in parts_of(instance)] if around.other_mode else []
    thawed = [p for p in parameters_of(instance) if p.requires_grad] if around.frozen else []
    for parameter in thawed:
        parameter.requires_grad_(False)
    for one, training in modes:
        one.training = not training
    try:
        yield
    finally:
        for parameter in thawed:
            parameter.requires_grad_(True)
        for one, training in modes:
            one.training = training
