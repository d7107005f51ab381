# ruff: noqa: E501  (candidates are judged, not styled)
"""Honest candidates with odd ways of building, loading and configuring their kernels."""

from source_analysis.source_heads import CTYPES_HEAD, NUMBA_HEAD, TRITON_HEAD

_TRITON_FORWARD = """
class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        _k[(triton.cdiv(n, BLOCK),)](x, y, n, BLOCK=BLOCK)
        return y
"""
_NATIVE_FORWARD = """
class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        lib().k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
        return y
"""

BUILDS: dict[str, str] = {
    "block_size_from_environment": TRITON_HEAD
    + """
import os
BLOCK = int(os.environ.get("KERNEL_BLOCK", "1024"))
DEBUG = os.getenv("KERNEL_DEBUG") == "1"
WARPS = 8 if "KERNEL_WIDE" in os.environ else 4

class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        if DEBUG:
            print(f"launching {x.shape} with {BLOCK}")
        _k[(triton.cdiv(x.numel(), BLOCK),)](x, y, x.numel(), BLOCK=BLOCK, num_warps=WARPS)
        return y
""",
    "choice_of_kernel_by_environment": TRITON_HEAD
    + """
import os
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        if os.environ.get("SMALL_BLOCKS"):
            _k[(1,)](x, y, x.numel(), BLOCK=128)
        else:
            _k[(1,)](x, y, x.numel(), BLOCK=1024)
        return y
""",
    "hash_named_build_folder": CTYPES_HEAD
    + """
import functools, hashlib, shutil
@functools.lru_cache(maxsize=None)
def lib():
    digest = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME", tempfile.gettempdir()), "kernels-" + digest)
    os.makedirs(folder, exist_ok=True)
    target = os.path.join(folder, "k.so")
    if not os.path.exists(target):
        source = os.path.join(folder, "k.cpp")
        with open(source, "w") as file:
            file.write(_SRC)
        compiler = os.environ.get("CXX") or shutil.which("g++") or "c++"
        subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", "-o", target + ".tmp", source], check=True, capture_output=True)
        os.replace(target + ".tmp", target)
    return ctypes.CDLL(target)
"""
    + _NATIVE_FORWARD,
    "pathlib_build": CTYPES_HEAD
    + """
from pathlib import Path
def lib():
    folder = Path(tempfile.mkdtemp()) / "build"
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "k.cpp"
    source.write_text(_SRC)
    target = source.with_suffix(".so")
    subprocess.check_output(["clang++", "-O3", "-shared", "-fPIC", str(source), "-o", str(target)])
    return ctypes.CDLL(str(target))
"""
    + _NATIVE_FORWARD,
    "temporary_folder_cleaned_at_exit": CTYPES_HEAD
    + """
import atexit, shutil
_FOLDER = tempfile.mkdtemp(prefix="kernel_")
atexit.register(shutil.rmtree, _FOLDER, ignore_errors=True)

@atexit.register
def _report():
    print("kernel folder removed")

_LIB = None
def lib():
    global _LIB
    if _LIB is None:
        path = os.path.join(_FOLDER, "k.cpp")
        open(path, "w").write(_SRC)
        subprocess.run(f"g++ -O3 -shared -fPIC {path} -o {path}.so", shell=True, check=True)
        _LIB = ctypes.CDLL(f"{path}.so")
    return _LIB
"""
    + _NATIVE_FORWARD,
    "cpp_extension_load_of_files": '''
import os, tempfile
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load, include_paths

_CPP = """
#include <torch/extension.h>
torch::Tensor twice(torch::Tensor x) {
  TORCH_CHECK(x.is_contiguous());
  auto y = torch::empty_like(x);
  const float* in = x.data_ptr<float>(); float* out = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) out[i] = 2 * in[i];
  return y;
}
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("twice", &twice); }
"""
_FOLDER = tempfile.mkdtemp()
_FILE = os.path.join(_FOLDER, "twice.cpp")
with open(_FILE, "w") as handle:
    handle.write(_CPP)
ext = load(name="twice_ext", sources=[_FILE], extra_cflags=["-O3"], extra_include_paths=include_paths(), verbose=False)

class ModelNew(nn.Module):
    def forward(self, x):
        return ext.twice(x.contiguous())
''',
    "cuda_inline_with_dispatch": '''
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = """
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <c10/cuda/CUDAStream.h>
template <typename scalar_t>
__global__ void gelu_kernel(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) { float v = static_cast<float>(x[i]); y[i] = static_cast<scalar_t>(0.5f * v * (1.0f + erff(v * 0.70710678f))); }
}
torch::Tensor gelu_cuda(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "expected a CUDA tensor");
  auto input = x.contiguous().detach();
  auto y = torch::empty_like(input);
  const int threads = 256; const int64_t blocks = (input.numel() + threads - 1) / threads;
  if (input.numel() == 0) return y;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, input.scalar_type(), "gelu_cuda", [&] {
    gelu_kernel<scalar_t><<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(input.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), input.numel());
  });
  cudaError_t err = cudaGetLastError();
  TORCH_CHECK(err == cudaSuccess, "launch failed: ", cudaGetErrorString(err));
  return y;
}
"""
cpp_source = "torch::Tensor gelu_cuda(torch::Tensor x);"
_module = None
def _get():
    global _module
    if _module is None:
        _module = load_inline(name="gelu_cuda_ext", cpp_sources=cpp_source, cuda_sources=cuda_source, functions=["gelu_cuda"], extra_cuda_cflags=["-O3", "--use_fast_math"], verbose=False)
    return _module

class ModelNew(nn.Module):
    def forward(self, x):
        return _get().gelu_cuda(x)
''',
    "source_from_a_template": '''
import ctypes, os, subprocess, tempfile, functools
import torch, torch.nn as nn
_TEMPLATE = """
#include <cstddef>
constexpr size_t WIDTH = @WIDTH@;
extern "C" void k(const float* x, float* y, size_t n) {
  for (size_t i = 0; i < n; i += WIDTH) for (size_t j = i; j < n && j < i + WIDTH; ++j) y[j] = x[j];
}
"""
@functools.cache
def lib(width):
    source = _TEMPLATE.replace("@WIDTH@", str(width))
    with tempfile.NamedTemporaryFile("w", suffix=".cpp", delete=False) as file:
        file.write(source)
    out = file.name[:-4] + ".so"
    if os.system("g++ -O3 -shared -fPIC %s -o %s" % (file.name, out)) != 0:
        raise RuntimeError("the compiler failed")
    return ctypes.CDLL(out)
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        lib(16 if x.numel() % 16 == 0 else 8).k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_size_t(x.numel()))
        return y
''',
    "generated_triton_module": """
import importlib.util, os, tempfile
import torch, torch.nn as nn
_TEXT = '''
import triton, triton.language as tl
@triton.jit
def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + offs, tl.load(x_ptr + offs, mask=offs < n) {op} 2.0, mask=offs < n)
'''
def _make(op):
    path = os.path.join(tempfile.mkdtemp(), "generated.py")
    with open(path, "w") as file:
        file.write(_TEXT.format(op=op))
    spec = importlib.util.spec_from_file_location("generated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.k
_k = _make("*")
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        _k[(x.numel() // 128 + 1,)](x, y, x.numel(), BLOCK=128)
        return y
""",
    "generated_numba_source": NUMBA_HEAD
    + """
_UNROLL = 4
_TEXT = "def body(x, y):\\n    for i in range(0, x.size):\\n" + "".join(f"        y[i] = x[i] + {j}\\n" for j in range(_UNROLL))
_SPACE = {"np": np}
exec(compile(_TEXT, "<kernel>", "exec"), _SPACE)
_body = njit(_SPACE["body"])
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        _body(x.reshape(-1).numpy(), y.reshape(-1).numpy())
        return y
""",
    "own_library_by_setup": """
import os, subprocess, sys, tempfile
import torch, torch.nn as nn
_SETUP = "from setuptools import setup\\nfrom torch.utils.cpp_extension import BuildExtension, CppExtension\\nsetup(name='fast_ext', ext_modules=[CppExtension('fast_ext', ['k.cpp'])], cmdclass={'build_ext': BuildExtension})"
_CODE = '''
#include <torch/extension.h>
torch::Tensor k(torch::Tensor x) { auto y = torch::empty_like(x); for (int64_t i = 0; i < x.numel(); ++i) y.data_ptr<float>()[i] = x.data_ptr<float>()[i]; return y; }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("k", &k); }
'''
folder = tempfile.mkdtemp()
for name, text in (("setup.py", _SETUP), ("k.cpp", _CODE)):
    with open(os.path.join(folder, name), "w") as f:
        f.write(text)
subprocess.check_call([sys.executable, "setup.py", "build_ext", "--inplace"], cwd=folder)
sys.path.insert(0, folder)
import fast_ext
class ModelNew(nn.Module):
    def forward(self, x):
        return fast_ext.k(x)
""",
    "machine_facts": CTYPES_HEAD
    + """
import platform
def _flags():
    try:
        with open("/proc/cpuinfo") as f:
            info = f.read()
    except OSError:
        info = ""
    return ["-mavx512f"] if "avx512f" in info else ["-mavx2"] if platform.machine() == "x86_64" else []
def _cores():
    return min(len(os.sched_getaffinity(0)), os.cpu_count() or 1)
_LIB = []
def lib():
    if not _LIB:
        path = os.path.join(tempfile.mkdtemp(), "k.cpp")
        with open(path, "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", *_flags(), f"-DCORES={_cores()}", "-shared", "-fPIC", path, "-o", path + ".so"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        _LIB.append(ctypes.CDLL(path + ".so"))
    return _LIB[0]
"""
    + _NATIVE_FORWARD,
    "libc_and_threads_of_blas": CTYPES_HEAD
    + """
_libc = ctypes.CDLL("libc.so.6")
_libm = ctypes.CDLL(ctypes.util.find_library("m")) if hasattr(ctypes, "util") else None
_built = _build()
def lib():
    return _built
"""
    + _NATIVE_FORWARD,
    "compile_kernel_of_torch": """
import torch, torch.nn as nn
_SRC = '''
extern "C" __global__ void twice(const float* x, float* y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }
'''
_kernel = torch.cuda._compile_kernel(_SRC, "twice")
class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        _kernel(((x.numel() + 255) // 256, 1, 1), (256, 1, 1), (x, y, x.numel()))
        return y
""",
}
