"""The CUDA driver through its own interface: memory, sharing between processes, events, gates.

The rule: every call is checked, a failure says what the driver says, and the library is loaded
when the first driver is made, never at import: a process that has met the driver cannot fork. Calls
that return at once keep the interpreter: who gives it up waits up to 5 ms for every other thread
that computes, a thousand times what the call takes.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.errors import DeviceError

if TYPE_CHECKING:
    import torch

    from assay.devices.driver import Bytes, Places, Words

_LIBRARY = "libcuda.so.1"
HANDLE_BYTES = 64
PERSISTING_CACHE = 6  # a limit: bytes of the second-level cache that are set aside
_LAZY_PEER_ACCESS = 1
_REGISTER_MAPPED = 2
_WAIT_GEQ = 0
_EVENT_TIMED = 0


class _IpcHandle(ctypes.Structure):
    _fields_ = (("reserved", ctypes.c_char * HANDLE_BYTES),)


class CudaDriver:
    """The primary context of one GPU, which torch uses too."""

    def __init__(self, index: int = 0) -> None:
        try:
            self._library = ctypes.CDLL(_LIBRARY)
            self._keeping: ctypes.CDLL = ctypes.PyDLL(_LIBRARY)  # the interpreter, within a call
        except OSError as error:
            raise DeviceError(f"the CUDA driver cannot be loaded: {error}") from error
        self._index = index
        self._call("cuInit", 0)
        device = ctypes.c_int()
        self._call("cuDeviceGet", ctypes.byref(device), index)
        self._context = ctypes.c_void_p()
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), device)
        self.enter()

    def enter(self) -> None:
        """Make the context this thread's own."""
        self._call_at_once("cuCtxSetCurrent", self._context)

    def allocate(self, nbytes: int) -> int:
        """Device memory."""
        pointer = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(nbytes))
        return pointer.value

    def free(self, pointer: int) -> None:
        """Give device memory back."""
        self._call("cuMemFree_v2", ctypes.c_uint64(pointer))

    def memory(self) -> tuple[int, int]:
        """Free and total bytes of the device."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self._call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def write(self, pointer: int, data: Bytes) -> None:
        """Copy bytes to the device; `data` is free again, the device may not have them yet."""
        if data.nbytes:
            source = ctypes.c_void_p(data.ctypes.data)
            self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(pointer), source, _size(data.nbytes))

    def scatter(self, pointer: int, nbytes: int, places: Places, words: Words) -> None:
        """Put words of one size at their places by one copy and one kernel, behind all before."""
        import torch

        target = self.tensor(pointer, nbytes).view(getattr(torch, words.dtype.name))
        pairs = torch.from_numpy(np.stack((places, words))).to(target.device)
        target[pairs[0]] = pairs[1].to(target.dtype)

    def read(self, pointer: int, nbytes: int) -> Bytes:
        """Copy bytes from the device."""
        data = np.empty(nbytes, np.uint8)
        if nbytes:
            target = ctypes.c_void_p(data.ctypes.data)
            self._call("cuMemcpyDtoH_v2", target, ctypes.c_uint64(pointer), _size(nbytes))
        return data

    def tensor(self, pointer: int, nbytes: int) -> torch.Tensor:
        """Through torch, in the same context."""
        return bytes_at(pointer, nbytes, f"cuda:{self._index}")

    def fill(self, pointer: int, value: int, nbytes: int) -> None:
        """Set every byte, soon: the driver does not wait for it."""
        if nbytes:
            byte = ctypes.c_ubyte(value)
            self._call_at_once("cuMemsetD8_v2", ctypes.c_uint64(pointer), byte, _size(nbytes))

    def fill_in(self, stream: int, pointer: int, value: int, nbytes: int) -> None:
        """Have a stream set every byte when it gets there."""
        where, byte = ctypes.c_uint64(pointer), ctypes.c_ubyte(value)
        self._call("cuMemsetD8Async", where, byte, _size(nbytes), ctypes.c_void_p(stream))

    def share(self, pointer: int) -> bytes:
        """A handle by which another process can open an allocation of ours."""
        handle = _IpcHandle()
        self._call("cuIpcGetMemHandle", ctypes.byref(handle), ctypes.c_uint64(pointer))
        return ctypes.string_at(ctypes.byref(handle), HANDLE_BYTES)

    def open(self, handle: bytes) -> int:
        """Map an allocation of another process."""
        pointer, lent = ctypes.c_uint64(), _IpcHandle.from_buffer_copy(handle)
        flags = ctypes.c_uint(_LAZY_PEER_ACCESS)
        self._call("cuIpcOpenMemHandle_v2", ctypes.byref(pointer), lent, flags)
        return pointer.value

    def register(self, address: int, nbytes: int) -> int:
        """Pin host memory; returns where the device sees it."""
        where, flags = ctypes.c_void_p(address), ctypes.c_uint(_REGISTER_MAPPED)
        self._call("cuMemHostRegister_v2", where, _size(nbytes), flags)
        pointer = ctypes.c_uint64()
        self._call("cuMemHostGetDevicePointer_v2", ctypes.byref(pointer), where, ctypes.c_uint(0))
        return pointer.value

    def wait_value(self, stream: int, pointer: int, value: int) -> None:
        """Let a stream go no further until a word holds `value` or more."""
        self._on_word("cuStreamWaitValue32_v2", stream, pointer, value)

    def write_value(self, stream: int, pointer: int, value: int) -> None:
        """Have a stream write a word when it gets there."""
        self._on_word("cuStreamWriteValue32_v2", stream, pointer, value)

    def event(self) -> int:
        """A new event that can be timed."""
        event = ctypes.c_void_p()
        self._call("cuEventCreate", ctypes.byref(event), ctypes.c_uint(_EVENT_TIMED))
        return event.value or 0

    def record(self, event: int, stream: int) -> None:
        """Note when a stream gets there."""
        self._call("cuEventRecord", ctypes.c_void_p(event), ctypes.c_void_p(stream))

    def elapsed_us(self, start: int, end: int) -> float:
        """Time between two events that have happened."""
        found = ctypes.c_float()
        ends = (ctypes.c_void_p(start), ctypes.c_void_p(end))
        self._call("cuEventElapsedTime", ctypes.byref(found), *ends)
        return 1e3 * found.value

    def limit(self, number: int) -> int:
        """A limit of the context, in bytes."""
        found = ctypes.c_size_t()
        self._call("cuCtxGetLimit", ctypes.byref(found), ctypes.c_int(number))
        return found.value

    def synchronise(self, stream: int | None = None) -> None:
        """Wait for every stream of the context, or for one of them."""
        if stream is None:
            self._call("cuCtxSynchronize")
        else:
            self._call("cuStreamSynchronize", ctypes.c_void_p(stream))

    def finish_small(self) -> None:
        """Wait for every stream of the context, for work of microseconds; no other thread runs."""
        self._call_at_once("cuCtxSynchronize")

    def _on_word(self, name: str, stream: int, pointer: int, value: int) -> None:
        where, word = ctypes.c_uint64(pointer), ctypes.c_uint32(value)
        self._call(name, ctypes.c_void_p(stream), where, word, ctypes.c_uint(_WAIT_GEQ))

    def _call(self, name: str, *arguments: Any) -> None:
        self._check(name, getattr(self._library, name)(*arguments))

    def _call_at_once(self, name: str, *arguments: Any) -> None:
        self._check(name, getattr(self._keeping, name)(*arguments))

    def _check(self, name: str, code: int) -> None:
        if code:
            raise DeviceError(f"{name}: {self._words(code)} (CUDA error {code})")

    def _words(self, code: int) -> str:
        text = ctypes.c_char_p()
        self._library.cuGetErrorString(code, ctypes.byref(text))
        return (text.value or b"unknown error").decode()


class DeviceBytes:
    """Bytes at an address, in the form in which libraries exchange memory. It owns nothing."""

    def __init__(self, pointer: int, nbytes: int) -> None:
        self.__cuda_array_interface__: dict[str, Any] = {
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (pointer, False),
            "strides": None,
            "version": 3,
        }


def bytes_at(pointer: int, nbytes: int, device: str = "cuda") -> torch.Tensor:
    """A tensor of bytes over the memory itself, which somebody has to keep for as long."""
    import torch

    return torch.as_tensor(DeviceBytes(pointer, nbytes), device=device)


def _size(nbytes: int) -> ctypes.c_size_t:
    return ctypes.c_size_t(nbytes)
