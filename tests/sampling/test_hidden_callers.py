"""Code of torch's that nobody seems to have called is torch's: its stack was made to say so."""

from __future__ import annotations

import contextlib
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.sampling.mapped_objects import Owner
from assay.sampling.sampled_process import _begins_in_torch
from assay.sampling.sampler import Sampler, Samples

TORCH = "libtorch_cpu.so"
C = "libc.so.6"
KERNEL = """
import ctypes, os, subprocess, sys
import torch
torch.set_num_threads(1)
folder = sys.argv[1]
open(folder + "/k.c", "w").write(r'''{source}''')
flags = ["-O2", "-mno-red-zone", "-shared", "-fPIC"]
command = ["cc", *flags, "-o", folder + "/k.so", folder + "/k.c"]
subprocess.run(command, check=True)
RUN = ctypes.CDLL(folder + "/k.so").run
RUN.argtypes = [ctypes.c_void_p] * 3
TORCH = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so"))
STUB = "_ZN2at6native12DispatchStubIPFvRKNS_6TensorES4_"
NAME = STUB + "ENS0_44softmax_lastdim_kernel_DECLARE_DISPATCH_typeEE4AVX2E"
VARIABLE = ctypes.addressof(ctypes.c_void_p.in_dll(TORCH, NAME))
x, y = torch.randn(512, 2048), torch.empty(512, 2048)
handles = [ctypes.c_void_p(t._cdata) for t in (y, x)]
print("there", flush=True)
while True:
    RUN(VARIABLE, *[ctypes.addressof(h) for h in handles])
"""
ON_ANOTHER_STACK = """
#include <stdlib.h>
#include <ucontext.h>
void run(void** variable, void* y, void* x) {
  static ucontext_t here, there;
  static char* stack;
  if (!stack) stack = malloc(1 << 20);
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = 1 << 20;
  there.uc_link = &here;
  makecontext(&there, (void (*)())*variable, 2, y, x);
  swapcontext(&here, &there);
}
"""
FROM_A_PAGE = """
#include <string.h>
#include <sys/mman.h>
static const char CODE[] = "\\x48\\x83\\xEC\\x08\\xFF\\xD2\\x48\\x83\\xC4\\x08\\xC3";
void run(void** variable, void* y, void* x) {
  static void* page;
  if (!page) {
    page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(page, CODE, sizeof CODE);
    mprotect(page, 4096, PROT_READ | PROT_EXEC);
  }
  ((void (*)(void*, void*, void*))page)(y, x, *variable);
}
"""


@pytest.mark.parametrize(
    ("passed", "torchs"),
    [
        ([TORCH, TORCH, C, C], True),  # a context or a thread that begins in torch
        ([TORCH, "libgomp.so.1", TORCH, C], True),  # torch's own pool, asked for by such a thread
        ([TORCH, "libgomp.so.1", C], False),  # a thread of a pool
        ([TORCH, TORCH], False),  # no end was reached
        ([C, C], False),
        ([], False),
    ],
)
def test_where_a_stack_begins(passed: list[str], torchs: bool) -> None:
    assert _begins_in_torch(passed) is torchs


FORGED = """
void run(void** variable, void* y, void* x) {
  const unsigned char* at = *variable;
  while (at[0] != 0x5D || at[1] != 0xC3) ++at;
  const unsigned long gadget = (unsigned long)(at + 1), function = (unsigned long)*variable;
  asm volatile(
      "mov %%rsp, %%rbx; and $-256, %%rsp; mov $64, %%ecx; 1: push $0; dec %%ecx; jnz 1b;"
      "lea 2f(%%rip), %%rax; push %%rax; push %[gadget]; jmp *%[function]; 2: mov %%rbx, %%rsp"
      : "+D"(y), "+S"(x) : [gadget] "r"(gadget), [function] "r"(function)
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15");
}
"""


@contextlib.contextmanager
def _running(source: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    text = KERNEL.format(source=source)
    command = [sys.executable, "-c", text, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "there\n"
            yield process
        finally:
            process.kill()


def _samples(source: str, folder: Path) -> Samples:
    with _running(source, folder) as process:
        sampler = Sampler(lambda: [process.pid], str(folder))
        sampler.start()
        ends = time.monotonic() + 60.0
        while sampler.total < 100 and time.monotonic() < ends:
            time.sleep(0.05)
        return sampler.stop()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="machine code of one processor")
@pytest.mark.parametrize("source", [ON_ANOTHER_STACK, FROM_A_PAGE, FORGED])
def test_torch_without_a_caller_is_torch(source: str, tmp_path: Path) -> None:
    found = _samples(source, tmp_path)
    assert found.reason == "" and found.of(Owner.LIBRARY) >= 0.5 * found.total >= 50, found
