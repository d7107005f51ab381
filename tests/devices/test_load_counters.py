"""Load: two readings of /proc give shares; what the kernel does not publish stays unknown."""

from dataclasses import replace
from pathlib import Path

from assay.devices.load_counters import busy_words, load_between, load_counters

_CORES = "cpu0 1 0 0\ncpu1 1 0 0\n"
_STAT = "cpu  {user} 0 100 5000 0 0 0 {steal} 0 0\n" + _CORES + "procs_running {running}\n"


def _root(tmp_path, user, steal=0, running=1, total_us=0):
    pressure = tmp_path / "proc/pressure"
    pressure.mkdir(parents=True, exist_ok=True)
    (pressure / "cpu").write_text(f"some avg10=3.50 avg60=1.0 avg300=0.9 total={total_us}\n")
    stat = _STAT.format(user=user, steal=steal, running=running)
    (tmp_path / "proc/stat").write_text(stat)
    return tmp_path


def _between(tmp_path, own_cpu_s=0.0, **after):
    first = replace(load_counters(_root(tmp_path, user=0)), at_s=10.0)
    second = replace(load_counters(_root(tmp_path, **after)), at_s=12.0)
    return load_between(first, second, own_cpu_s)


def test_two_readings_give_shares(tmp_path):
    load = _between(tmp_path, own_cpu_s=1.0, user=300, steal=40, running=6, total_us=500_000)

    assert (load.seconds, load.cores) == (2.0, 2)
    assert load.waiting_share == 0.25
    assert load.waiting_avg10 == 3.5
    assert load.others_share == 0.5  # 3 s of processor time, 1 s of it ours, of 4 s
    assert load.steal_share == 0.1
    assert load.runnable_per_core == 3.0


def test_a_busy_machine_is_said_with_figures(tmp_path):
    load = _between(tmp_path, own_cpu_s=1.0, user=300, steal=40, total_us=500_000)

    assert busy_words(load) == (
        "other processes used 50 % of the cores, the hypervisor took 10 %, "
        "tasks waited for a processor 25 % of the time"
    )


def test_our_own_threads_make_no_busy_machine(tmp_path):
    load = _between(tmp_path, own_cpu_s=3.9, user=400, total_us=1_900_000)

    assert load.waiting_share == 0.95
    assert busy_words(load) == ""


def test_pressure_alone_counts_where_processor_time_is_not_published(tmp_path):
    load = _between(tmp_path, user=0, total_us=1_000_000)

    assert busy_words(replace(load, others_share=None)) != ""


def test_what_is_not_published_is_unknown(tmp_path):
    first, second = load_counters(tmp_path), load_counters(tmp_path)
    load = load_between(first, second)

    assert load.waiting_share is load.others_share is load.steal_share is None
    assert load.runnable_per_core is None
    assert busy_words(load) == ""


def test_this_machine_is_read():
    counters = load_counters(Path("/"))

    assert counters.cores >= 1
    assert counters.busy_s is None or counters.busy_s > 0
