# ruff: noqa: E501  (candidates are judged, not styled)
"""Honest candidates that hand storage and symbols on as addresses, and what cannot be followed."""

from source_analysis.honest_wiring import FORWARD_BEGIN, POINTERS_OF_X_AND_Y, forward, wired
from source_analysis.source_heads import CTYPES_HEAD

POINTERS: dict[str, str] = {
    "callback_allocates_the_result": CTYPES_HEAD
    + """
lib = _build()
ALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_long)
class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        slot = []
        def allocate(n):
            slot.append(torch.empty(n, dtype=torch.float32))
            return slot[0].data_ptr()
        if lib.k(ctypes.c_void_p(x.data_ptr()), ALLOC(allocate), ctypes.c_long(x.numel())):
            raise MemoryError
        return slot[0].view(x.shape)
""",
    "ptx_through_the_driver": forward(
        """
driver = ctypes.CDLL("libcuda.so.1")
def call(name, *arguments):
    if getattr(driver, name)(*arguments):
        raise RuntimeError(name)
def function():
    module, found = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), b".visible .entry rows() { ret; }")
    call("cuModuleGetFunction", ctypes.byref(found), module, b"rows")
    return found
rows = function()
""",
        "given = [ctypes.c_uint64(x.data_ptr()), ctypes.c_uint64(y.data_ptr())]\nplaces = (ctypes.c_void_p * 2)(*[ctypes.addressof(one) for one in given])\ncall('cuLaunchKernel', rows, 1, 1, 1, 32, 1, 1, 0, None, places, None)",
    ),
    "pointers_through_numpy": forward(
        "lib = _build()\ndef ptr(t):\n    return t.detach().numpy().ctypes.data_as(ctypes.c_void_p)\n",
        "lib.k(ptr(x), ptr(y), ctypes.c_long(x.numel()))",
    ),
    "struct_of_pointers": forward(
        """
class Args(ctypes.Structure):
    _fields_ = [("x", ctypes.c_void_p), ("y", ctypes.c_void_p), ("n", ctypes.c_long)]
lib = _build()
""",
        "args = Args(x.data_ptr(), y.data_ptr(), x.numel())\nlib.k(ctypes.byref(args))",
    ),
    "struct_filled_field_by_field": forward(
        """
class Args(ctypes.Structure):
    _fields_ = [(n, ctypes.c_void_p) for n in "x y".split()]
lib = _build()
""",
        "args = Args()\nargs.x = x.data_ptr()\nargs.y = y.data_ptr()\nlib.k(ctypes.pointer(args), ctypes.c_long(x.numel()))",
    ),
    "table_of_pointers": forward(
        "lib = _build()\n",
        "table = torch.tensor([t.data_ptr() for t in (x, y)], dtype=torch.int64)\nlib.k(ctypes.c_void_p(table.data_ptr()), ctypes.c_long(x.numel()))",
    ),
    "array_of_pointers": forward(
        "lib = _build()\n",
        "table = (ctypes.c_void_p * 2)()\ntable[0] = x.data_ptr()\ntable[1] = y.data_ptr()\nlib.k(table, ctypes.c_long(x.numel()))",
    ),
    "buffer_of_c_copied_out": forward(
        "lib = _build()\n",
        "buffer = (ctypes.c_float * x.numel())()\nlib.k(ctypes.c_void_p(x.data_ptr()), buffer, ctypes.c_long(x.numel()))\nctypes.memmove(y.data_ptr(), buffer, x.numel() * 4)",
    ),
    "symbol_by_item": wired("lib = _build()\n", 'lib["k"]'),
    "symbol_by_prototype": wired(
        "lib = _build()\nk = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(('k', lib))\n",
        "k",
    ),
    "symbol_by_address": wired(
        "lib = _build()\naddress = ctypes.cast(lib.k, ctypes.c_void_p).value\nk = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(address)\n",
        "k",
    ),
    "own_descriptor_of_a_temporary_file": CTYPES_HEAD
    + """
lib = None
def get():
    global lib
    if lib is None:
        fd, name = tempfile.mkstemp(suffix=".c")
        with os.fdopen(fd, "w") as f:
            f.write(_SRC)
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", name, "-o", name + ".so"], check=True)
        lib = ctypes.CDLL(name + ".so")
    return lib
"""
    + FORWARD_BEGIN
    + f"        get().k({POINTERS_OF_X_AND_Y})\n        return y\n",
}

# What the analysis cannot follow, and must not hold against anyone: a note at most.
UNFOLLOWED: dict[str, str] = {
    "machine_code_at_an_address": CTYPES_HEAD
    + """
import mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex("c3"))
k = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
"""
    + FORWARD_BEGIN
    + f"        k({POINTERS_OF_X_AND_Y})\n        return y\n",
    "worker_behind_a_queue": CTYPES_HEAD
    + """
import queue, threading
jobs, done = queue.Queue(), queue.Queue()
lib = _build()
def work():
    while True:
        job = jobs.get()
        lib.k(*job)
        done.put(None)
threading.Thread(target=work, daemon=True).start()
"""
    + FORWARD_BEGIN
    + f"        jobs.put(({POINTERS_OF_X_AND_Y}))\n        done.get()\n        return y\n",
    "coroutine_that_is_sent_its_input": CTYPES_HEAD
    + """
lib = _build()
def pipeline():
    x = yield None
    while True:
        y = torch.empty_like(x)
        lib.k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
        x = yield y
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.stage = pipeline()
        next(self.stage)
    def forward(self, x):
        return self.stage.send(x.contiguous())
""",
    "dispatch_by_type": forward(
        """
import functools
@functools.singledispatch
def run(x, y):
    raise TypeError(type(x))
@run.register
def _(x: torch.Tensor, y):
    _build().k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
""",
        "run(x, y)",
    ),
    "names_made_by_globals": forward(
        "globals().update({'double_' + 'k': _build().k})\n",
        f"double_k({POINTERS_OF_X_AND_Y})",
    ),
}
