"""The formats that can be imported; another distribution adds one in the group `assay.imports`."""

from __future__ import annotations

from assay.plugins import Registry
from assay.store.imports.import_reader import ImportReader

FORMATS: Registry[ImportReader] = Registry(
    ImportReader,
    "assay.imports",
    {
        "kernelbench": "assay.store.imports.kernelbench_samples:KernelBenchSamples",
        "kernelbench_x": "assay.store.imports.kernelbench_x_corpus:KernelBenchXCorpus",
        "openevolve": "assay.store.imports.openevolve_trace:OpenEvolveTrace",
    },
)
