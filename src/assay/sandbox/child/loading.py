"""Loading: a candidate's file becomes a module, an instance, and an instance with given weights."""

from __future__ import annotations

import copy
import importlib.util
import os
import random
import sys
from typing import Any

import numpy as np
import torch

from assay.sandbox.child.child_memory import Memory
from assay.sandbox.child.untouched.held_state import buffers_of, held_state, parameters_of
from assay.sandbox.protocol.replies import StateMatch
from assay.sandbox.protocol.requests import Construct, Load, LoadState


def load_entry(request: Load) -> Any:
    """Import the file under a neutral name and return its entry class.

    Its folder comes last on the import path: a candidate of several files finds its own, and none
    of them hides a module of the interpreter or of a library. The file is a package of that folder
    too, so that `from .helpers import f` finds the file beside it.
    """
    request.language.prepare(request.interpreted)
    folder = os.path.dirname(request.path)
    sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(
        "kernel", request.path, submodule_search_locations=[folder]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kernel"] = module
    spec.loader.exec_module(module)
    entry = getattr(module, request.entry, None)
    if entry is None:
        raise AttributeError(f"the candidate defines no {request.entry}")
    return entry


def construct(entry: Any, request: Construct, device: torch.device) -> torch.nn.Module:
    """One instance on the device, its own initialisation drawn from the common seed."""
    torch.manual_seed(request.seed)
    random.seed(request.seed)
    np.random.seed(request.seed % (1 << 32))
    instance: torch.nn.Module = entry(*request.args, **dict(request.kwargs))
    if isinstance(instance, torch.nn.Module):
        if instance.training is not request.training:  # else what it froze stays frozen
            instance.train(request.training)
        instance = instance.to(device)
    return instance


def copied(instance: torch.nn.Module) -> torch.nn.Module | None:
    """A deep copy, as people make one to average weights; None where it does not allow that."""
    try:
        return copy.deepcopy(instance)
    except Exception:  # whatever it holds that cannot be copied: not an error of a kernel
        return None


def load_state(module: torch.nn.Module, request: LoadState, memory: Memory) -> StateMatch:
    """Copy the given values in place: by name, else by order and shape, else not at all.

    What it holds under these names counts, then what it says that it saves.
    """
    state = module.state_dict() if isinstance(module, torch.nn.Module) else {}
    given = [(name, memory.tensor(view)) for name, view in request.entries]
    named = {**state, **held_state(module)}
    if all(name in named and named[name].shape == value.shape for name, value in given):
        pairs = [(named[name], value) for name, value in given]
        match = StateMatch.NAMES
    elif [tuple(t.shape) for t in state.values()] == [tuple(v.shape) for _, v in given]:
        pairs = list(zip(state.values(), (v for _, v in given), strict=True))
        match = StateMatch.ORDER
    else:
        return StateMatch.NONE
    _copy_in_place(module, pairs)
    return match


def _copy_in_place(module: torch.nn.Module, pairs: list[tuple[torch.Tensor, torch.Tensor]]) -> None:
    """Through the live parameters, not their detached state-dict twins, so that versions move.

    What holds the value already is left alone, and its version with it.
    """
    owners = [*parameters_of(module), *buffers_of(module).values()]
    live = {(t.data_ptr(), tuple(t.shape), t.stride()): t for t in owners}
    with torch.no_grad():
        for target, value in pairs:
            if torch.equal(target, value):
                continue
            key = (target.data_ptr(), tuple(target.shape), target.stride())
            live.get(key, target).copy_(value)
