"""How busy the machine was between two moments, from counters that Linux publishes in /proc.

The rule: reading costs microseconds and changes nothing; a counter that this kernel or container
does not publish is None, never zero. Thresholds are in `busy_words`, the only place that decides.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

# Measured on two cores during a calibration: quiet 1 % waiting, 1 % others, 0.3 % steal; beside one
# other busy process 91 % waiting and 50 % others.
MAX_WAITING_SHARE = 0.15
MAX_OTHERS_SHARE = 0.10
MAX_STEAL_SHARE = 0.05


@dataclass(frozen=True)
class LoadCounters:
    """The machine's counters at one moment; only the difference of two means something."""

    at_s: float  # time.monotonic
    cores: int  # that /proc/stat counts
    waiting_s: float | None  # CPU pressure, "some" total: a runnable task waited for a processor
    waiting_avg10: float | None  # percent of the last ten seconds, as the kernel averages it
    busy_s: float | None  # processor time of all processes, summed over cores
    steal_s: float | None  # time that a hypervisor gave to other machines
    runnable: int | None  # tasks running or ready to run at this moment


@dataclass(frozen=True)
class LoadInterval:
    """What happened between two readings. Shares are between 0 and 1."""

    seconds: float
    cores: int
    waiting_share: float | None  # of the time, some task was ready and had no processor
    waiting_avg10: float | None  # the kernel's average at the end, in percent
    others_share: float | None  # of all processor time, what processes other than ours used
    steal_share: float | None  # of all processor time, what the hypervisor took
    runnable_per_core: float | None  # the larger of the two readings; ours are counted too


def load_counters(root: Path = Path("/")) -> LoadCounters:
    """The counters as they are now. `root` is where /proc is mounted."""
    waiting_s, waiting_avg10 = _pressure(_read(root / "proc/pressure/cpu"))
    stat = _read(root / "proc/stat")
    busy_s, steal_s = _processor_time(stat)
    return LoadCounters(
        at_s=time.monotonic(),
        cores=sum(line.startswith("cpu") for line in stat.splitlines()[1:]) or os.cpu_count() or 1,
        waiting_s=waiting_s,
        waiting_avg10=waiting_avg10,
        busy_s=busy_s,
        steal_s=steal_s,
        runnable=_runnable(stat),
    )


def load_between(before: LoadCounters, after: LoadCounters, own_cpu_s: float = 0.0) -> LoadInterval:
    """The load from one reading to the next; `own_cpu_s` is processor time the caller used."""
    seconds = max(after.at_s - before.at_s, 1e-9)
    available_s = seconds * after.cores
    busy_s = _difference(before.busy_s, after.busy_s)
    runnable = [n for n in (before.runnable, after.runnable) if n is not None]
    return LoadInterval(
        seconds=seconds,
        cores=after.cores,
        waiting_share=_share(_difference(before.waiting_s, after.waiting_s), seconds),
        waiting_avg10=after.waiting_avg10,
        others_share=_share(None if busy_s is None else busy_s - own_cpu_s, available_s),
        steal_share=_share(_difference(before.steal_s, after.steal_s), available_s),
        runnable_per_core=max(runnable) / after.cores if runnable else None,
    )


def busy_words(load: LoadInterval) -> str:
    """What kept the processors busy, in words with figures; empty on a quiet machine.

    Pressure counts only beside work of others or steal: our own threads wait for each other too.
    """
    parts = []
    if (load.others_share or 0.0) > MAX_OTHERS_SHARE:
        parts.append(f"other processes used {100 * (load.others_share or 0.0):.0f} % of the cores")
    if (load.steal_share or 0.0) > MAX_STEAL_SHARE:
        parts.append(f"the hypervisor took {100 * (load.steal_share or 0.0):.0f} %")
    knows_others = load.others_share is not None
    if (load.waiting_share or 0.0) > MAX_WAITING_SHARE and (parts or not knows_others):
        waiting = 100 * (load.waiting_share or 0.0)
        parts.append(f"tasks waited for a processor {waiting:.0f} % of the time")
    return ", ".join(parts)


def _pressure(text: str) -> tuple[float | None, float | None]:
    """Seconds in total and the ten-second average of the line `some`."""
    for line in text.splitlines():
        kind, *pairs = line.split()
        fields = dict(pair.partition("=")[::2] for pair in pairs)
        if kind == "some" and {"total", "avg10"} <= fields.keys():
            return int(fields["total"]) / 1e6, float(fields["avg10"])
    return None, None


def _processor_time(stat: str) -> tuple[float | None, float | None]:
    """Busy and stolen seconds of the first line of /proc/stat; waiting for disks is idle time."""
    name, *values = stat.partition("\n")[0].split() or [""]
    if name != "cpu" or len(values) < 8:
        return None, None
    ticks_per_s = os.sysconf("SC_CLK_TCK")
    user, nice, system, _idle, _iowait, irq, softirq, steal = (int(v) for v in values[:8])
    return (user + nice + system + irq + softirq) / ticks_per_s, steal / ticks_per_s


def _runnable(stat: str) -> int | None:
    for line in stat.splitlines():
        if line.startswith("procs_running "):
            return int(line.split()[1])
    return None


def _difference(before: float | None, after: float | None) -> float | None:
    return None if before is None or after is None else after - before


def _share(part: float | None, whole: float) -> float | None:
    return None if part is None else min(1.0, max(0.0, part / whole))


def _read(path: Path) -> str:
    """The text of a small system file; empty where it is not there or not for us."""
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
