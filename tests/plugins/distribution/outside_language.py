"""A language of another distribution: a bare C file with `void forward(x, y, n)` over floats."""

from __future__ import annotations

from collections.abc import Mapping

from assay.data.candidate import Candidate
from assay.languages.language import MAIN, KernelTarget, Language
from assay.languages.source_use import SourceUse

_MODULE = """\
import ctypes, os, subprocess, tempfile
import torch

folder = tempfile.mkdtemp()
source, built = os.path.join(folder, "kernel.c"), os.path.join(folder, "kernel.so")
with open(source, "w") as file:
    file.write({text!r})
flags = os.environ["OUTSIDE_C_FLAGS"].split()
subprocess.run(["cc", *flags, "-shared", "-fPIC", "-o", built, source], check=True)
library = ctypes.CDLL(built)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        x, y = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
        pointers = (ctypes.c_void_p(tensor.data_ptr()) for tensor in (x, y))
        library.forward(*pointers, ctypes.c_int64(x.numel()))
        return y
"""


class OutsideLanguage(Language):
    name = "outside_c"
    suffixes = (".c",)
    native = True

    def detect(self, use: SourceUse) -> bool:
        return not use.is_python and use.paths[0].endswith(self.suffixes)

    def files(self, candidate: Candidate) -> Mapping[str, str]:
        return {MAIN: _MODULE.format(text=candidate.main.text)}

    def environment(self, target: KernelTarget, home: str) -> dict[str, str]:
        return {"OUTSIDE_C_FLAGS": "-O2"}
