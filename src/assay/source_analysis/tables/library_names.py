"""What a call of a library name does, by its dotted name after aliases are resolved.

The rule: functions of tensor and array libraries compute unless a table says otherwise; everything
else in a library (devices, streams, settings, builders) is bookkeeping.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.source_analysis.interpreter.tags import Weight
from assay.source_analysis.tables.operation_names import OpRole, base_role, is_heavy


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """Role of a call; `weight` says how much it can be where it computes."""

    role: OpRole
    weight: Weight = Weight.LIGHT


_BOOKKEEPING = LibraryCall(OpRole.BOOKKEEPING)
_HEAVY = LibraryCall(OpRole.COMPUTE, Weight.HEAVY)
_LIGHT = LibraryCall(OpRole.COMPUTE, Weight.LIGHT)

_TENSOR_NAMESPACES = frozenset(
    """torch torch.nn.functional torch.Tensor torch.linalg torch.fft torch.special torch.sparse
    torch._C._nn torch._C._linalg torch._C._fft torch._C._special torch._VF torch.functional
    torch._C._VariableFunctions torch._C._TensorBase torch._refs torch._prims torch._tensor.Tensor
    torch.ops.aten torch.ops.prims torch.ops.mkldnn torch.ops.quantized torch._ops.ops.aten
    torch.nn.quantized.functional torch.ao.nn.quantized.functional torch.masked torch.nested
    torch._refs.nn.functional torch._refs.special torch.nn.functional.functional torch.nn.attention
    torch.nn.attention.flex_attention torch._decomp.decompositions torch.autograd.functional
    torch._numpy torch.func torch._functorch.apis torch._higher_order_ops
    torch._inductor.select_algorithm.extern_kernels torch._C._dynamo.guards""".split()
)
_ALL_HEAVY = frozenset({"torch.linalg", "torch.fft", "torch._C._linalg", "torch._C._fft"})
_ARRAY_ROOTS = frozenset({"numpy", "cupy", "jax", "jax.numpy", "jax.lax", "autograd", "mkl"})
_LIBRARY_ROOTS = frozenset(
    """scipy tensorflow sklearn flash_attn xformers apex transformer_engine flashinfer liger_kernel
    vllm sgl_kernel torch_scatter torch_sparse torchvision torchaudio transformers onnxruntime
    tvm openvino mxnet numexpr bottleneck einops.einsum opt_einsum kornia fla mamba_ssm
    causal_conv1d deep_gemm bitsandbytes torchao unsloth cudnn nvmath onednn
    intel_extension_for_pytorch
    flag_gems gemlite triton_kernels triton.ops kernels
    triton._C triton.runtime.interpreter""".split()
)
_GENERATORS = frozenset(
    """torch.compile torch.jit.script torch.jit.trace torch.jit.freeze
    torch.jit.optimize_for_inference
    torch._dynamo.optimize torch._inductor.compile torch._inductor.compile_fx.compile_fx
    torch.jit.trace_module torch.jit.load torch.jit.fork torch.jit.script_method
    torch._dynamo.optimize_assert torch.export.export torch._inductor.aoti_compile_and_package
    torch._inductor.aoti_load_package torch.jit.CompilationUnit torch._C._jit_compile
    functorch.compile.memory_efficient_fusion torch.jit.last_executed_optimized_graph
    torch.cuda.jiterator._create_jit_fn torch.onnx.export numba.core.compile jax.jit""".split()
)
_OPERATOR_FREE = frozenset("attrgetter itemgetter methodcaller getitem setitem is_ is_not".split())
_NUMPY_PLAIN = frozenset(
    "dtype int_ float_ bool_ uint32 uint64 intp prod_shape ndindex errstate ctypeslib".split()
)
_NOT_TENSOR_FUNCTIONS = frozenset(
    "load save hub package quit Stream Event typename jit compile cond while_loop vmap".split()
)


def is_compute_package(root: str) -> bool:
    """True for a library of arrays: showing it does not make its functions bookkeeping."""
    return root in ("torch", "scipy") or root in _ARRAY_ROOTS


def is_generator(name: str) -> bool:
    """True where calling the name makes a kernel out of torch code."""
    return name in _GENERATORS


def is_layer(name: str) -> bool:
    """True where the name is a library's module class (nn.Linear)."""
    prefix, _, base = name.rpartition(".")
    in_nn = prefix.startswith(("torch.nn", "torch.ao.nn", "torchvision", "torch.nn.modules"))
    return in_nn and base[:1].isupper() and base not in _NOT_LAYERS


_NOT_LAYERS = frozenset(
    """Parameter Module ModuleList ModuleDict ParameterList ParameterDict Sequential Buffer
    UninitializedParameter UninitializedBuffer""".split()
)


def strip_overload(name: str) -> str:
    """Drop `.default`, `.Tensor`, `.out` behind an operator of torch.ops, and `torch._ops.`."""
    name = name.replace("torch._ops.ops.", "torch.ops.")
    parts = name.split(".")
    return ".".join(parts[:4]) if parts[:2] == ["torch", "ops"] and len(parts) > 4 else name


def library_call(name: str) -> LibraryCall:
    """What calling a dotted library name does to data."""
    name = strip_overload(name)
    prefix, _, base = name.rpartition(".")
    root = name.split(".", 1)[0]
    if prefix in _TENSOR_NAMESPACES:
        return _tensor_call(prefix, base)
    if root in _ARRAY_ROOTS:
        return _array_call(prefix, base)
    if root == "operator":
        return _operator_call(base)
    if any(name == known or name.startswith(known + ".") for known in _LIBRARY_ROOTS):
        return _HEAVY if base[:1].islower() else _BOOKKEEPING
    if prefix == "torch.nn.init":
        return LibraryCall(OpRole.FILL)
    return _BOOKKEEPING


def method_call(name: str) -> LibraryCall:
    """What calling a method of a tensor or array does to data."""
    return _tensor_call("torch.Tensor", name.strip("_") if name.startswith("__") else name)


def _tensor_call(prefix: str, base: str) -> LibraryCall:
    if prefix == "torch" and (base[:1].isupper() or base in _NOT_TENSOR_FUNCTIONS):
        return (
            LibraryCall(base_role(base)) if base_role(base) is not OpRole.COMPUTE else _BOOKKEEPING
        )
    if prefix in _ALL_HEAVY or is_heavy(base):
        return _HEAVY
    if prefix == "torch" and base.startswith(("is_", "get_", "set_", "_assert", "_check", "are_")):
        return _BOOKKEEPING
    return LibraryCall(base_role(base))


def _array_call(prefix: str, base: str) -> LibraryCall:
    if prefix in ("numpy.linalg", "numpy.fft", "jax.lax", "cupy.linalg", "cupy.fft"):
        return _HEAVY
    if prefix in ("numpy.ctypeslib", "numpy.random", "numpy.testing", "numpy.lib.stride_tricks"):
        return LibraryCall(OpRole.ALLOCATION)
    if base in _NUMPY_PLAIN:
        return _BOOKKEEPING
    return _HEAVY if is_heavy(base) else LibraryCall(base_role(base))


def _operator_call(base: str) -> LibraryCall:
    if base in _OPERATOR_FREE:
        return _BOOKKEEPING
    return _HEAVY if "matmul" in base else _LIGHT


# Names that tell a candidate where and by whom it is run. Reading one is free, for block sizes and
# build folders hang on them; what counts is whether a kernel runs or not by what they say.
_INFORMATIVE_ATTRIBUTES = frozenset(
    """os.environ os.environb sys.argv sys.orig_argv sys.modules sys.flags sys.gettrace
    sys.ps1 threading.main_thread""".split()
)
_INFORMATIVE_CALLS = (
    "os.getenv", "os.getpid", "os.getppid", "os.getpgid", "os.getsid", "os.getcwd", "os.getlogin",
    "os.uname", "os.listdir", "os.scandir", "os.walk", "os.path.exists", "os.path.isfile",
    "os.isatty", "os.getloadavg", "os.urandom", "glob.", "inspect.stack", "inspect.currentframe",
    "inspect.trace", "inspect.getouterframes", "traceback.", "sys._getframe",
    "sys._current_frames", "sys.gettrace", "sys.getprofile", "threading.current_thread",
    "threading.active_count", "threading.enumerate", "threading.get_ident",
    "threading.get_native_id", "socket.gethostname", "platform.node", "psutil.", "getpass.",
    "random.", "secrets.", "uuid.", "pwd.", "pkgutil.",
)  # fmt: skip


def tells_surroundings(name: str) -> bool:
    """True where the value of a library attribute tells of the surroundings."""
    return name in _INFORMATIVE_ATTRIBUTES


def asks_surroundings(name: str) -> bool:
    """True where calling a library name asks about the surroundings."""
    return name.startswith(_INFORMATIVE_CALLS)
