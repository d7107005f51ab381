"""Mathematics of the C library works for whoever calls it, whatever the stack holds."""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.sampling.mapped_objects import Owner
from assay.sampling.sampler import Sampler, Samples

# Such a function aligns its frame: in the gap lies what torch called before.
KERNEL = """
import ctypes, subprocess, sys
import torch
torch.set_num_threads(1)
folder = sys.argv[1]
open(folder + "/k.c", "w").write('''
#include <math.h>
__attribute__((simd("notinbranch"))) float expf(float);
void k(const float* x, float* y, long n) {
  for (int r = 0; r < 4; r++) {
    _Pragma("omp simd")
    for (long i = 0; i < n; i++) y[i] = expf(x[i]);
  }
}''')
flags = "-O3 -march=native -fopenmp -fno-math-errno -shared -fPIC".split()
command = ["cc", *flags, "-o", folder + "/k.so", folder + "/k.c", "-lmvec", "-lm"]
subprocess.run(command, check=True)
K = ctypes.CDLL(folder + "/k.so").k
K.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long]
x, y = torch.randn(768, 768), torch.empty(768, 768)
print("there", flush=True)
while True:
    torch.softmax(x[:8], -1)
    K(x.data_ptr(), y.data_ptr(), x.numel())
"""

# A power has a frame of its own, and so has the kernel, which was generated and keeps no tables.
GENERATED = """
import numpy, torch
from numba import float32, vectorize
torch.set_num_threads(2)
@vectorize([float32(float32, float32)], target="parallel")
def raised(x, y):
    return x ** y
x, y = torch.rand(512, 2048) + 0.5, torch.randn(512, 2048)
raised(x.numpy(), y.numpy())
print("there", flush=True)
while True:
    torch.pow(x[:1], y[:1])
    raised(x.numpy(), y.numpy())
"""


def _samples(program: str, folder: Path) -> Samples:
    command = [sys.executable, "-c", program, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "there\n"
            sampler = Sampler(lambda: [process.pid], str(folder))
            sampler.start()
            ends = time.monotonic() + 60.0
            while sampler.total < 100 and time.monotonic() < ends:
                time.sleep(0.05)
            return sampler.stop()
        finally:
            process.kill()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its vector functions are glibc's")
def test_vector_mathematics_works_for_whoever_calls_it(tmp_path: Path) -> None:
    found = _samples(KERNEL, tmp_path)
    both = found.of(Owner.OWN) + found.of(Owner.LIBRARY)
    assert found.reason == "" and found.of(Owner.OWN) >= 0.9 * both >= 50, found


def test_mathematics_that_generated_code_calls_is_the_candidates(tmp_path: Path) -> None:
    found = _samples(GENERATED, tmp_path)
    both = found.of(Owner.OWN) + found.of(Owner.LIBRARY)
    # torch's own powers between the calls are torch's; without the tables 21 of 98 were own.
    assert found.reason == "" and both >= 50 and found.of(Owner.OWN) >= 0.6 * both, found
