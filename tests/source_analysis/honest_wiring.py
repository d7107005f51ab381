# ruff: noqa: E501  (candidates are judged, not styled)
"""Honest candidates whose kernel is reached through the language: classes, generators, carriers."""

from source_analysis.source_heads import CTYPES_HEAD

POINTERS_OF_X_AND_Y = (
    "ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel())"
)
FORWARD_BEGIN = "\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        x = x.contiguous()\n        y = torch.empty_like(x)\n"


def wired(head: str, kernel: str) -> str:
    """A forward that calls `kernel` with pointers to its input and its result."""
    return f"{CTYPES_HEAD}\n{head}{FORWARD_BEGIN}        {kernel}({POINTERS_OF_X_AND_Y})\n        return y\n"


def forward(head: str, body: str) -> str:
    """A forward with a body of its own between `x`, `y` and the return."""
    lines = "\n".join("        " + line for line in body.strip("\n").splitlines())
    return f"{CTYPES_HEAD}\n{head}{FORWARD_BEGIN}{lines}\n        return y\n"


_BUILD_ONCE = """
class Native:
    def __init__(self):
        self._handle = None
"""

CLASSES: dict[str, str] = {
    "property_builds_under_a_lock": wired(
        "import threading\n"
        + _BUILD_ONCE
        + """        self._lock = threading.Lock()
    @property
    def k(self):
        with self._lock:
            if self._handle is None:
                self._handle = _build()
        return self._handle.k
native = Native()
""",
        "native.k",
    ),
    "cached_property_of_the_module": CTYPES_HEAD
    + """
from functools import cached_property
class ModelNew(nn.Module):
    @cached_property
    def _fn(self):
        return _build().k
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        self._fn(*[ctypes.c_void_p(t.data_ptr()) for t in (x, y)], ctypes.c_long(x.numel()))
        return y
""",
    "property_with_a_setter": wired(
        _BUILD_ONCE
        + """
    @property
    def handle(self):
        return self._handle
    @handle.setter
    def handle(self, value):
        self._handle = value.k
native = Native()
native.handle = _build()
""",
        "native.handle",
    ),
    "lazy_descriptor": wired(
        """
class Lazy:
    def __init__(self, make):
        self.make, self.made = make, None
    def __set_name__(self, owner, name):
        self.name = name
    def __get__(self, instance, owner=None):
        if self.made is None:
            self.made = self.make()
        return getattr(self.made, self.name)
class Native:
    k = Lazy(_build)
native = Native()
""",
        "native.k",
    ),
    "attribute_by_getattr": wired(
        """
class Native:
    def __getattr__(self, name):
        return getattr(_build(), name)
native = Native()
""",
        "native.k",
    ),
    "attribute_by_computed_name": wired(
        """
class Native:
    def __init__(self, names):
        lib = _build()
        for name in names:
            setattr(self, name, getattr(lib, name))
native = Native("k k2".split())
""",
        "native.k",
    ),
    "metaclass_compiles_its_source": wired(
        """
class Meta(type):
    def __new__(meta, name, bases, space, **options):
        made = super().__new__(meta, name, bases, space)
        if space.get("source"):
            made.lib = _build()
        return made
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls.__dict__["lib"], name)
class Native(metaclass=Meta):
    source = _SRC
""",
        "Native.k",
    ),
    "singleton_by_metaclass": wired(
        """
class Single(type):
    made = {}
    def __call__(cls, *args):
        if cls not in Single.made:
            Single.made[cls] = super().__call__(*args)
        return Single.made[cls]
class Native(metaclass=Single):
    def __init__(self, build):
        self.lib = build()
""",
        "Native(_build).lib.k",
    ),
    "singleton_by_new": wired(
        """
class Native:
    _one = None
    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
            cls._one.lib = _build()
        return cls._one
""",
        "Native().lib.k",
    ),
    "subclasses_register_themselves": wired(
        """
class Op:
    table = {}
    def __init_subclass__(cls, /, symbol="", **rest):
        super().__init_subclass__(**rest)
        cls.function = getattr(_build(), symbol)
        Op.table[symbol] = cls
class Double(Op, symbol="k"):
    pass
""",
        'Op.table["k"].function',
    ),
    "class_decorator_binds_symbols": wired(
        """
def bind(symbol):
    def decorate(cls):
        cls.run = staticmethod(getattr(_build(), symbol))
        return cls
    return decorate
@bind("k")
class Native:
    pass
""",
        "Native.run",
    ),
    "template_method_below_super": CTYPES_HEAD
    + """
class Base(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        self.launch(x, y)
        return y
class Middle(Base):
    def forward(self, x):
        return super().forward(x)
class ModelNew(Middle):
    def __init__(self):
        super().__init__()
        self.lib = _build()
    def launch(self, x, y):
        self.lib.k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
    def forward(self, x):
        return super().forward(x)
""",
    "dataclass_with_items": wired(
        """
from dataclasses import dataclass, field
@dataclass(frozen=True)
class Native:
    text: str
    flags: tuple = ("-O3",)
    handle: list = field(default_factory=list, compare=False)
    def __getitem__(self, name):
        if not self.handle:
            self.handle.append(self._open())
        return getattr(self.handle[0], name)
    def _open(self):
        return _build()
native = Native(text=_SRC)
NAMES = {torch.float32: "k"}
""",
        "native[NAMES[x.dtype]]",
    ),
    "operators_of_a_pipeline": forward(
        """
class Stage:
    def __init__(self, function):
        self.function = function
    def __or__(self, other):
        return Stage(lambda x, y: (self.function(x, y), other.function(x, y)))
    def __call__(self, x, y):
        self.function(x, y)
def double(x, y):
    _build().k(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(x.numel()))
def nothing(x, y):
    pass
pipeline = Stage(nothing) | Stage(double)
""",
        "pipeline(x, y)",
    ),
}

FLOWS: dict[str, str] = {
    "generator_of_slabs": forward(
        """
lib = _build()
def slabs(x, y, size=64):
    for start in range(0, x.shape[0], size):
        yield x[start:start + size], y[start:start + size]
""",
        """
for part, out in slabs(x, y):
    lib.k(ctypes.c_void_p(part.data_ptr()), ctypes.c_void_p(out.data_ptr()), ctypes.c_long(part.numel()))
""",
    ),
    "decorator_binds_signature_to_symbol": forward(
        """
import functools, inspect
lib = _build()
TYPES = {torch.Tensor: (ctypes.c_void_p, lambda t: t.data_ptr()), int: (ctypes.c_long, int)}
def native(fn):
    spec = [p.annotation for p in inspect.signature(fn).parameters.values()]
    @functools.wraps(fn)
    def call(*args):
        symbol = getattr(lib, fn.__name__)
        symbol.argtypes = [TYPES[a][0] for a in spec]
        symbol(*[TYPES[a][1](v) for a, v in zip(spec, args, strict=True)])
    return call
@native
def k(x: torch.Tensor, y: torch.Tensor, n: int): ...
""",
        "k(x, y, x.numel())",
    ),
    "context_manager_opens_the_library": forward(
        """
import contextlib
@contextlib.contextmanager
def opened():
    lib = _build()
    try:
        yield lib
    finally:
        del lib
""",
        f"with opened() as lib:\n    lib.k({POINTERS_OF_X_AND_Y})",
    ),
    "object_as_context": forward(
        """
class Launch:
    def __init__(self, y):
        self.y = y
    def __enter__(self):
        return _build().k
    def __exit__(self, *error):
        return False
""",
        f"with Launch(y) as kernel:\n    kernel({POINTERS_OF_X_AND_Y})",
    ),
    "iterator_object": forward(
        """
class Rows:
    def __init__(self, x, y):
        self.x, self.y, self.at = x, y, 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.at >= self.x.shape[0]:
            raise StopIteration
        self.at += 1
        return self.x[self.at - 1], self.y[self.at - 1]
lib = _build()
""",
        """
for row, out in Rows(x, y):
    lib.k(ctypes.c_void_p(row.data_ptr()), ctypes.c_void_p(out.data_ptr()), ctypes.c_long(row.numel()))
""",
    ),
    "executor_builds_while_loading": wired(
        """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(max_workers=1) as pool:
    pending = pool.submit(_build)
lib = pending.result()
""",
        "lib.k",
    ),
    "coroutine_builds": wired(
        """
import asyncio
async def compiled():
    return await asyncio.to_thread(_build)
lib = asyncio.run(compiled())
""",
        "lib.k",
    ),
    "library_of_each_thread": wired(
        """
import threading
local = threading.local()
def lib():
    if not hasattr(local, "lib"):
        local.lib = _build()
    return local.lib
""",
        "lib().k",
    ),
    "library_on_the_function": wired(
        """
def lib():
    if not hasattr(lib, "handle"):
        lib.handle = _build()
    return lib.handle
""",
        "lib().k",
    ),
    "namespace_of_symbols": wired(
        "import types\nops = types.SimpleNamespace(double=_build().k)\n", "ops.double"
    ),
    "named_tuple_of_symbols": wired(
        "from collections import namedtuple\nOps = namedtuple('Ops', 'double')\nops = Ops(_build().k)\n",
        "ops.double",
    ),
    "partial_with_named_arguments": forward(
        """
import functools
def run(x, y, *, kernel, count):
    kernel(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(count(x)))
double = functools.partial(run, count=lambda t: t.numel(), kernel=_build().k)
""",
        "double(x, y)",
    ),
}

WIRING: dict[str, str] = {**CLASSES, **FLOWS}
