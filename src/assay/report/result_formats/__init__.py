"""Verdicts in the formats of other evaluators, so that what reads those need not change.

    result_format.py          the contract: one class for each format
    format_registry.py        the formats by name; other distributions add theirs by entry point
    verdict_facts.py          what a verdict says, for the free text and metadata of a format
    standing_candidates.py    the one candidate of a task that stands for it
    kernelbench_results.py    KernelBench's eval_results.json
    trace_lines.py            what the two formats of traces share
    flashinfer_traces.py      FlashInfer-Trace
    sol_execbench_traces.py   SOL-ExecBench
    kernelbench_x_metrics.py  KernelBench-X's metrics.json and summary.json
    tritonbench_tables.py     TritonBench's folders of times and of passing sources

The rule: only an accepted verdict is written as correct. What is not known is null or left out,
never 0; what a format cannot say is counted or named.
"""
