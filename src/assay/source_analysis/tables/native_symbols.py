"""Symbols of compute libraries, by the name a loader knows them under.

The rule: a mangled name is read part by part, and judged by the operation it names, as its source
spelling would be. An overload computes what its operation does.
"""

from __future__ import annotations

import re

from assay.source_analysis.tables.operation_names import RANDOM, OpRole, base_role

_SONAME = re.compile(
    r"^(lib)?(torch(_cpu|_cuda|_python|_hip)?|c10(_cuda)?|mkl_\w+|mkl|\w*openblas\w*|c?blas|lapacke?"
    r"|cublas(lt)?|cudnn\w*|cufft|cusolver|cusparse|dnnl|mkldnn|blis(-mt)?|[st]?atlas|nvblas"
    r"|armpl\w*|flexiblas|gslcblas|rocblas|hipblas|miopen|aten|_multiarray_umath|nnpack|xnnpack)"
    r"(64)?_?(-[0-9a-z]+)?(\.[\w-]+)*$"
)
_BLAS = re.compile(
    r"^(cblas_\w+|mkl_\w*(gemm|gemv|csr|dot|axpy)\w*|(s|d|c|z|h|sb)(gemm|gemv|symm|syrk|trsm|dot|axpy"
    r"|nrm2|asum|scal|ger|gesv|getrf|potrf|syev|gesvd)(3m|u|c)?_?(64_)?|cublas\w*(gemm|gemv|dot|axpy)"
    r"\w*|cudnn\w*(forward|convolution|softmax|pooling|activation|attention)\w*|dnnl_(\w*execute|sgemm"
    r"|primitive)\w*|v[sd](exp|ln|mul|add|sqrt|tanh|erf|div)|aoti_torch_(cpu|cuda)_\w+)$",
    re.IGNORECASE,
)
_BLAS_SETTING = re.compile(
    r"(set|get)_(num_)?threads|num_threads|version|_set_dynamic|config|handle"
)


def is_compute_library(path: str) -> bool:
    """True where a path names a library of ready computations (BLAS, torch, cuDNN)."""
    base = path.rsplit("/", 1)[-1].lower().replace("*", "")
    if "[0" in base:
        base = base.split("[", 1)[0]
    bundled = re.search(r"/(numpy|scipy)\.libs/", path) is not None
    return bundled or (bool(base) and _SONAME.match(base) is not None)


def computed_by_symbol(symbol: str) -> str:
    """The operation a library symbol computes; empty where it is none."""
    if symbol.startswith("_ZN"):
        return _of_mangled(symbol)
    if symbol.startswith("aten::"):  # as the dispatcher knows it
        base = symbol[6:].split(".")[0]
        return symbol if base.isidentifier() and base_role(base) is OpRole.COMPUTE else ""
    if _BLAS.match(symbol) and not _BLAS_SETTING.search(symbol.lower()):
        return symbol
    return ""


def is_setting(symbol: str) -> bool:
    """True for `openblas_set_num_threads`, `mkl_get_version`."""
    return _BLAS_SETTING.search(symbol.lower()) is not None


def _of_mangled(symbol: str) -> str:
    """`_ZN2at4_ops6mm_out4callE...` is `at::mm_out`."""
    parts = _parts(symbol)
    if not parts or parts[0] not in ("at", "torch", "mkldnn", "dnnl"):
        return ""
    if parts[0] == "torch" and parts[1:2] != ["nn"]:  # bindings, exceptions, registration
        return ""
    dispatched = parts[1:2] == ["_ops"] and len(parts) > 2
    named = parts[2] if dispatched else parts[-1]
    base = re.sub(r"_(outf?|out_)$", "", named)
    base = _without_overload(base) if dispatched else base
    settings = base.startswith(("get_", "set_", "is_", "has_")) or base in _PLAIN
    computes = base_role(base) is OpRole.COMPUTE and not settings and base[:1].islower()
    return f"{parts[0]}::{named}" if computes else ""


_PLAIN = frozenset(
    "parallel_for internal native init_num_threads detail cuda globalContext".split()
)


# `torch::empty(sizes, options)` needs `at::_ops::empty_memory_format`: torch joins the overload to
# the name. These are overloads of operations that compute nothing; of the others the name tells
# enough as it is.
_OVERLOADED = re.compile(
    r"(\w+?)_(memory_format|names|Dimname|dtype|dtype_layout|device|other|int|intlist"
    r"|(?:Scalar|Tensor)(?:_Scalar|_Tensor)?"
    r"|dim|dims|using_ints|start|start_step|step|sizes|sections|indices|tensor_indices_or_sections"
    r"|Sequence|array|m|msg|source_Storage|source_Storage_storage_offset|source_Tensor"
    r"|source_Tensor_storage_offset)"
)


def _without_overload(named: str) -> str:
    """`empty_memory_format` is `empty`, where that computes nothing; any other name stays."""
    found = _OVERLOADED.fullmatch(named)
    base = found.group(1) if found else named
    drawn = base.rstrip("_") in RANDOM
    return named if drawn or base_role(base) is OpRole.COMPUTE else base


def _parts(symbol: str) -> list[str]:
    """Length-prefixed names after `_ZN` (and the qualifiers that may stand before them)."""
    position = re.match(r"_ZN[KVrRO]*", symbol)
    rest = symbol[position.end() :] if position else ""
    found: list[str] = []
    while (digits := re.match(r"\d+", rest)) is not None:
        length = int(digits.group()[:3])
        found.append(rest[digits.end() : digits.end() + length])
        rest = rest[digits.end() + length :]
    return [part for part in found if part]
