"""Calls that change a library or the interpreter for everyone, where the arguments decide.

The rule: an operator of one's own may be registered freely, one of a library may not; a backend may
be tuned, but no kernel of one's own needs it switched off.
"""

from __future__ import annotations

import re

from assay.data.evidence import EvidenceKind, Severity
from assay.guard.reach import SETTING_REACH, Reach
from assay.source_analysis.values import Value

_CONVICTS = Severity.CONVICTS
_PATCHED = EvidenceKind.PATCHED_STATE
_LIBRARY_NAMESPACES = frozenset(
    "aten prims prim quantized mkldnn torchvision _c10d_functional inductor torch _C onednn".split()
)
_REGISTRATIONS = frozenset(
    """torch.library.impl torch.library.register_kernel torch.library.register_autograd
    torch.library.impl_abstract torch.library.Library torch._C._dispatch_library
    torch.library.register_torch_dispatch torch.library.register_vmap
    torch.library.register_autocast torch.library._scoped_library""".split()
)
_HOOK_LISTS = ("sys.meta_path", "sys.path_hooks", "gc.callbacks", "sys.path_importer_cache")
_GROWS = frozenset(
    """insert append extend appendleft update setdefault __setitem__ pop clear remove __iadd__
    __delitem__ popitem reverse sort""".split()
)
_OVERRIDE = Reach(_PATCHED, _CONVICTS, _CONVICTS, "replaces an operator of the library")
_HOOK = Reach(_PATCHED, _CONVICTS, _CONVICTS, "hooks the interpreter for everyone")
_OFF = Reach(_PATCHED, _CONVICTS, _CONVICTS, "switches a backend of the library off for everyone")
_SLOW = Reach(_PATCHED, _CONVICTS, _CONVICTS, "slows every library call down")
_META = Reach(_PATCHED, _CONVICTS, _CONVICTS, "makes everyone's tensors hold nothing")
OWNED_BY_OTHERS = Reach(_PATCHED, _CONVICTS, _CONVICTS, "writes into a namespace it does not own")
_SWITCHES = re.compile(
    r"^torch\.backends\.[\w.]*set_flags$|^torch\._C\._set_(mkldnn|cudnn|nnpack|onednn)_enabled$"
    r"|^torch\.backends\.(mkldnn|cudnn|nnpack|onednn)\.enabled\.__set__$"
)


def override_reach(name: str, values: list[Value]) -> Reach | None:
    """What such a call means, by its dotted name and its arguments in order."""
    owner, _, base = name.rpartition(".")
    if name in _REGISTRATIONS or base in ("py_impl", "py_functionalize_impl"):
        return _OVERRIDE if _names_library(name, values) else None
    if owner in _HOOK_LISTS and base in _GROWS:
        return _HOOK
    if owner.endswith(".__dict__") and base in _GROWS:
        return OWNED_BY_OTHERS
    if _SWITCHES.match(name):
        return _OFF if _first(values) is False else SETTING_REACH
    if name == "torch.autograd.set_detect_anomaly":
        return _SLOW if _first(values) is not False else None
    if name in ("torch.set_default_device", "torch.set_default_tensor_type"):
        return _META if _first(values) == "meta" else None
    return None


def item_reach(name: str) -> Reach | None:
    """What storing an item into a library's list or namespace means."""
    return _HOOK if name in _HOOK_LISTS else OWNED_BY_OTHERS if name == "builtins" else None


def assignment_switches_off(name: str, value: Value) -> Reach | None:
    """`torch.backends.mkldnn.enabled = False`."""
    constant = value.constant()
    off = constant is not None and constant.value is False
    switch = name.startswith("torch.backends.") and name.endswith("enabled")
    return _OFF if off and switch else None


def _names_library(name: str, values: list[Value]) -> bool:
    if name.startswith("torch.ops."):
        return name.split(".")[2] in _LIBRARY_NAMESPACES
    text = values[0].text() if values else None
    return text is not None and text.split("::")[0] in _LIBRARY_NAMESPACES


def _first(values: list[Value]) -> object:
    constant = values[0].constant() if values else None
    return constant.value if constant is not None else None
