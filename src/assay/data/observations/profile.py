"""Profile: what ran on a device in a candidate's calls, and how near each roof it came."""

from __future__ import annotations

from pydantic import Field

from assay.data.record import SCHEMA_VERSION, Record

Extent = tuple[int, int, int]


class KernelLaunch(Record):
    """One launch of one kernel, as a profiler saw it; None where it did not say."""

    name: str
    time_us: float
    registers: int | None = None  # a thread
    shared_bytes: int | None = None  # a block
    occupancy: float | None = None  # warps active over the most a multiprocessor holds
    occupancy_limit: str | None = None  # the resource that allows the fewest blocks
    grid: Extent | None = None
    block: Extent | None = None
    stalls: dict[str, float] | None = None  # warps that wait for each reason, per issue
    memory_busy: float | None = None  # device memory's throughput over its peak
    arithmetic_busy: float | None = None  # the multiprocessors' throughput over their peak


class KernelRow(Record):
    """All launches of one kernel. Sums are over them, the rest is weighted by their times."""

    name: str
    calls: int  # launches
    total_us: float
    share: float  # of the time of all kernels
    library: bool  # its name is that of a vendor's or framework's own kernel
    registers: int | None = None
    shared_bytes: int | None = None
    occupancy: float | None = None  # as reached where counters were read, else as resources allow
    occupancy_limit: str | None = None
    grid: Extent | None = None  # of the longest launch, as is the block
    block: Extent | None = None
    stalls: dict[str, float] | None = None
    memory_busy: float | None = None
    arithmetic_busy: float | None = None

    @property
    def counted(self) -> bool:
        """Whether hardware counters were read."""
        return self.memory_busy is not None or self.stalls is not None


class RooflinePosition(Record):
    """Where a time stands under the two roofs of its task."""

    intensity: float  # operations a byte, of what must be done
    ridge: float | None  # the intensity at which the roofs meet; None where no product is made
    memory_share: float  # the bytes' least time over the time
    arithmetic_share: float  # the products' least time over the time
    bound: str


class Profile(Record):
    """One candidate on one workload."""

    schema_version: int = SCHEMA_VERSION
    task: str
    candidate: str
    device: str
    axes: dict[str, int] = Field(default_factory=dict)
    time_us: float  # the device's time for one call, gaps included
    launch_us: float | None = None  # the host's time to hand over one call
    profiled_calls: int = 1  # that the rows add up
    kernels: tuple[KernelRow, ...] = ()  # the longest first
    roofline: RooflinePosition | None = None
    energy_mj: float | None = None  # millijoules a call, idle power included
    trusted: bool = False  # counters were read in a run without the wall
    reason: str = ""  # why something is missing

    @property
    def kernels_us(self) -> float:
        """The kernels' time in one call, without the gaps."""
        return sum(row.total_us for row in self.kernels) / self.profiled_calls

    @property
    def library_share(self) -> float:
        """Of the kernels' time."""
        return sum(row.share for row in self.kernels if row.library)


class NotProfiled(Record):
    """A candidate that did not get as far."""

    schema_version: int = SCHEMA_VERSION
    task: str
    candidate: str
    device: str
    phase: str  # "import", "construct", "first call", "timing"
    reason: str
