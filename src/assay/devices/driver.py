"""What Assay asks of an accelerator: of its driver, and of the process that a candidate runs in.

The rule: every call is checked; a failure is a DeviceError that says what the driver says. Memory
is given by its address on the device, a stream or an event by the driver's own handle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:  # NumPy's threads must not start before the warm parent says how many
    import numpy as np
    import numpy.typing as npt
    import torch

    from assay.devices.recorder.cupti import CuptiTrace
    from assay.devices.recorder.launches import Launches
    from assay.devices.recorder.loaded_modules import LoadedModules

    Bytes: TypeAlias = npt.NDArray[np.uint8]
    Places: TypeAlias = npt.NDArray[np.int64]
    Words: TypeAlias = npt.NDArray[np.signedinteger]


class Driver(Protocol):
    """One process's hold on one device, in the context that torch uses too."""

    def enter(self) -> None:
        """Make the context this thread's own."""

    def allocate(self, nbytes: int) -> int:
        """Device memory."""

    def free(self, pointer: int) -> None:
        """Give device memory back."""

    def write(self, pointer: int, data: Bytes) -> None:
        """Copy bytes to the device."""

    def scatter(self, pointer: int, nbytes: int, places: Places, words: Words) -> None:
        """Put words of one size into `nbytes` at a pointer, each at its place among such words."""

    def read(self, pointer: int, nbytes: int) -> Bytes:
        """A copy of bytes of the device."""

    def tensor(self, pointer: int, nbytes: int) -> torch.Tensor:
        """Bytes of the device as a tensor of this process's torch, not a copy."""

    def fill(self, pointer: int, value: int, nbytes: int) -> None:
        """Set every byte, soon: the driver does not wait for it."""

    def fill_in(self, stream: int, pointer: int, value: int, nbytes: int) -> None:
        """Have a stream set every byte when it gets there."""

    def share(self, pointer: int) -> bytes:
        """A handle by which another process can open an allocation of ours."""

    def open(self, handle: bytes) -> int:
        """Map an allocation of another process."""

    def register(self, address: int, nbytes: int) -> int:
        """Pin host memory; returns where the device sees it."""

    def wait_value(self, stream: int, pointer: int, value: int) -> None:
        """Let a stream go no further until a word holds `value` or more."""

    def write_value(self, stream: int, pointer: int, value: int) -> None:
        """Have a stream write a word when it gets there."""

    def event(self) -> int:
        """A new event that can be timed."""

    def record(self, event: int, stream: int) -> None:
        """Note when a stream gets there."""

    def elapsed_us(self, start: int, end: int) -> float:
        """Time between two events that have happened."""

    def synchronise(self, stream: int | None = None) -> None:
        """Wait for every stream of the context, or for one of them."""

    def finish_small(self) -> None:
        """Wait for work of microseconds; no other thread of this process runs meanwhile."""


class Accelerator(Protocol):
    """The device in the candidate's process.

    It is made there, with whether TF32 is allowed, before candidate code is loaded.
    """

    @property
    def driver(self) -> Driver:
        """This process's own."""

    @property
    def stream_handle(self) -> int:
        """The stream that calls are queued on and timed on."""

    @property
    def modules(self) -> LoadedModules:
        """The code that was loaded onto the device since the process began."""

    @property
    def launches(self) -> Launches:
        """What the driver is asked to run, while it is listened to."""

    def take_back(self) -> None:
        """Make our stream current again, whatever a call left."""

    def lines(self) -> list[str]:
        """What a survey of the process should know, `name<TAB>detail`."""

    def finish_calls(self) -> None:
        """Wait for our stream, then for all others; what these need longer is noted."""

    def finish(self, stream: int | None = None) -> None:
        """Wait for all streams, or for one; a device that faulted ends the process."""

    def gap_picoseconds(self) -> int:
        """Between two pieces of work; 0 where that cannot be measured."""

    def poison(self, sizes: list[int]) -> None:
        """Leave memory that was written over and is free for the next who asks for as much."""

    def bytes_at(self, pointer: int, nbytes: int) -> torch.Tensor:
        """A tensor of bytes over memory of the device."""

    @property
    def mark_name(self) -> str:
        """What the name of `mark`'s kernel holds."""

    def mark(self) -> None:
        """Queue a small kernel of our own, of a kind that hardly anybody uses."""

    def kernel_trace(self) -> CuptiTrace:
        """What records the kernels that run."""
