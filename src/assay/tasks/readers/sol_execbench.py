"""SOL-ExecBench: a folder a problem, with definition.json, workload.jsonl and solution*.json.

The rule: what `definitions` reads; tolerances of workloads are not taken over.
"""

from __future__ import annotations

from assay.tasks.readers.definitions.definition_reader import DefinitionReader


class SolExecBenchReader(DefinitionReader):
    """`sol_execbench:FOLDER`: one problem's folder, or any folder above some."""

    name = "sol_execbench"
