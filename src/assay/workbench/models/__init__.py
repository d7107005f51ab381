"""Whole models: what of a model is worth a kernel, and what kernels gained in it.

    profile_rows.py       one row of a profile
    profiler_rows.py      reads torch's profiler into such rows
    device_time.py        union and exclusive shares of kernel intervals
    operation_times.py    rows -> the time of each operation
    graph/                the model's graph, and the regions of it that one kernel could compute
    node_groups.py        operations and regions, equal ones together
    cut_task.py           a region as a task of its own
    device_limits.py      the least time of some work on the device
    gain_ranking.py       shares, headroom, gains; predicted speedup of the whole model
    model_answer.py       what the model's process is asked, and what it answers
    model_process.py      the process in which a model runs
    hot_report.py         the record `hot.json`
    hot_model.py          the model profiled and ranked
    joined_sources.py     several modules as one text
    applied_model.py      the model's file with kernels in it
    inference_task.py     the model's file as the task of the whole
    counted_kernels.py    how often the patched model calls each kernel
    counted_kernels_process.py  the process, with a sandbox, in which that is done
    apply_report.py       the record of what kernels promised and gained
    apply_kernels.py      kernels judged, put back, and the model judged

The rule: a model is the user's own code, and still runs in a process of its own.
"""
