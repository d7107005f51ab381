"""The formats that verdicts are written in; others are added in the group `assay.exports`."""

from __future__ import annotations

from assay.plugins import Registry
from assay.report.result_formats.result_format import ResultFormat

_HERE = "assay.report.result_formats"
RESULT_FORMATS: Registry[ResultFormat] = Registry(
    ResultFormat,
    "assay.exports",
    {
        "kernelbench": f"{_HERE}.kernelbench_results:KernelBenchResults",
        "flashinfer_trace": f"{_HERE}.flashinfer_traces:FlashInferTraces",
        "sol_execbench": f"{_HERE}.sol_execbench_traces:SolExecBenchTraces",
        "tritonbench": f"{_HERE}.tritonbench_tables:TritonBenchTables",
        "kernelbench_x": f"{_HERE}.kernelbench_x_metrics:KernelBenchXMetrics",
    },
)
