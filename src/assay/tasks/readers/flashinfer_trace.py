"""FlashInfer-Trace: folders of definitions, workloads, solutions and traces, joined by names.

The rule: what `definitions` reads. A trace with an evaluation is a claim of others and no
workload.
"""

from __future__ import annotations

from assay.tasks.readers.definitions.definition_reader import DefinitionReader


class FlashInferTraceReader(DefinitionReader):
    """`flashinfer_trace:FOLDER`: the dataset, or any folder above definitions and workloads."""

    name = "flashinfer_trace"
