"""LibraryCode: the machine code of the libraries' own device functions, by digest.

The rule: it is read in a process of the judge's own, which holds no candidate, as the driver loads
it there: a function's bytes tell whose it is, whatever it is called and whoever loads it. What such
a process never loads is not known; nothing is concluded from that.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path

from assay.data.device import Device
from assay.data.record import content_id
from assay.errors import AssayError
from assay.languages.torch_language import TorchLanguage
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import ListCode, Load

_FILE, _ENTRY = "kernel/kernel.py", "ModelNew"
_LIMIT_S = 60.0
_MOST_PAGES = 64
_KEPT = "two digests of a function"  # in a file: another one says something else
_turn = threading.Lock()
_known: dict[Path, Mapping[str, str]] = {}  # what this process has read
# Products, convolutions, attention, reductions, sorting, transforms and factorisations, in types
# that kernels compute in and at sizes between which the libraries choose other functions.
_CALLS = """
import itertools

import torch
import torch.nn.functional as F


class ModelNew(torch.nn.Module):
    pass


def attempt(call):
    try:
        call()
    except Exception:
        pass  # not on this device, or not in this type


def products(kind, tf32):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    for m, n, k in ((64, 64, 64), (1, 4096, 4096), (128, 1024, 4096), (512, 512, 512),
                    (1024, 1024, 1024), (2048, 2048, 2048), (4096, 4096, 1024)):
        for turned in itertools.product((False, True), repeat=2):
            a = torch.ones(*((k, m) if turned[0] else (m, k)), dtype=kind, device="cuda")
            b = torch.ones(*((n, k) if turned[1] else (k, n)), dtype=kind, device="cuda")
            attempt(lambda: (a.T if turned[0] else a) @ (b.T if turned[1] else b))
    x = torch.ones(8, 64, 56, 56, dtype=kind, device="cuda")
    for size in (1, 3, 5):
        w = torch.ones(64, 64, size, size, dtype=kind, device="cuda")
        attempt(lambda: F.conv2d(x, w, padding=size // 2))
    q = torch.ones(8, 128, 128, dtype=kind, device="cuda")
    attempt(lambda: torch.bmm(q, q))


def others(kind):
    x = torch.ones(1024, 1024, dtype=kind, device="cuda")
    for name in ("softmax", "log_softmax", "gelu", "silu", "relu", "mish", "softplus"):
        call = getattr(F, name)
        attempt(lambda: call(x, dim=-1) if "softmax" in name else call(x))
    attempt(lambda: F.layer_norm(x, (1024,)))
    attempt(lambda: F.rms_norm(x, (1024,)))
    attempt(lambda: F.group_norm(x.view(4, 256, 1024), 8))
    attempt(lambda: F.batch_norm(x, None, None, training=True))
    for call in (torch.sum, torch.mean, torch.amax, torch.argmax, torch.logsumexp, torch.cumsum,
                 torch.cumprod, torch.var, torch.prod, torch.sort, torch.median):
        attempt(lambda: call(x, -1))
        attempt(lambda: call(x, 0))
    for call in (torch.exp, torch.tanh, torch.sigmoid, torch.sum, torch.linalg.norm):
        attempt(lambda: call(x))
    attempt(lambda: x + x * x)
    attempt(lambda: torch.topk(x, 8))
    attempt(lambda: F.max_pool2d(x.view(4, 16, 128, 128), 2))
    attempt(lambda: F.avg_pool2d(x.view(4, 16, 128, 128), 2))
    attempt(lambda: F.cross_entropy(x, torch.zeros(1024, dtype=torch.long, device="cuda")))
    q = torch.ones(2, 8, 512, 64, dtype=kind, device="cuda")
    attempt(lambda: F.scaled_dot_product_attention(q, q, q))
    attempt(lambda: F.scaled_dot_product_attention(q, q, q, is_causal=True))


for kind, tf32 in itertools.product((torch.float32, torch.float16, torch.bfloat16), (False, True)):
    products(kind, tf32)
    others(kind)
for size in (256, 1000, 1024, 4096):
    x = torch.ones(256, size, device="cuda")
    attempt(lambda: torch.fft.irfft(torch.fft.rfft(x)))
    attempt(lambda: torch.fft.fft(x))
x = torch.eye(256, device="cuda") + 0.1
attempt(lambda: torch.linalg.cholesky(x @ x.T))
attempt(lambda: torch.linalg.solve(x, x))
attempt(lambda: torch.sparse.mm(x.to_sparse_csr(), x))
attempt(lambda: x.to_sparse_csr() @ x[0])
attempt(lambda: torch.randn(256, 256, device="cuda"))
torch.cuda.synchronize()
"""


def library_code(wall: Wall, device: Device) -> Mapping[str, str]:
    """Symbol by digest. It takes some seconds once for a device, its driver and torch."""
    file = _kept_file(device, wall.torch_version)
    with _turn:  # of several candidates that need it, one reads it
        found = _known.get(file) or _kept(file)
        if not found:
            found = _read(wall)
            _keep(file, found)
        if found:
            _known[file] = found
        return found


def _kept(file: Path) -> dict[str, str]:
    """What an earlier look has left; nothing where there is none."""
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(kept, dict):
            return {str(code): str(symbol) for code, symbol in kept.items()}
    return {}


def _read(wall: Wall) -> dict[str, str]:
    """In a sandbox with our own calls; nothing is known where that cannot be done."""
    found: dict[str, str] = {}
    try:
        session = Session(wall, all_packages=True)
    except AssayError:
        return found
    try:
        scratch.write_file(session.process.scratch, _FILE, _CALLS.encode())
        path = f"{session.process.scratch_path}/{_FILE}"
        loaded = session.ask(Load(path, _ENTRY, TorchLanguage(), False), Deadline.after(_LIMIT_S))
        for page in range(_MOST_PAGES if loaded.code == ReplyCode.OK else 0):
            more = _page(session, page)
            found |= more
            if not more:
                break
    except ProcessLost:
        return {}
    finally:
        session.close()
    return found


def _page(session: Session, page: int) -> dict[str, str]:
    reply = session.ask(ListCode(page), Deadline.after(_LIMIT_S))
    if reply.code != ReplyCode.OK:
        return {}
    pairs = (line.partition("\t") for line in session.statement().splitlines())
    return {code: symbol for codes, _, symbol in pairs if codes for code in codes.split(",")}


def _kept_file(device: Device, torch_version: str) -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".cache"
    key = content_id(device.kind, device.name, device.driver or "", torch_version, _KEPT, _CALLS)
    return base / "assay" / "library_code" / f"{key}.json"


def _keep(file: Path, found: Mapping[str, str]) -> None:
    if not found:
        return
    unfinished = file.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps(found), encoding="utf-8")
        unfinished.replace(file)
