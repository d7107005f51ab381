"""The families of scores by name; another distribution adds its own in the group `assay.scores`."""

from __future__ import annotations

from assay.plugins import Registry
from assay.scores.score_family import ScoreFamily

FAMILIES: Registry[ScoreFamily] = Registry(
    ScoreFamily,
    "assay.scores",
    {
        "assay": "assay.scores.integrity_scores:IntegrityScores",
        "kernelbench": "assay.scores.kernelbench_scores:KernelBenchScores",
        "kernelbench_x": "assay.scores.kernelbench_x_scores:KernelBenchXScores",
        "tritonbench": "assay.scores.tritonbench_scores:TritonBenchScores",
        "sol_execbench": "assay.scores.sol_execbench_scores:SolExecBenchScores",
        "kerneleval": "assay.scores.kerneleval_scores:KernelEvalScores",
        "kernelgenbench": "assay.scores.kernelgenbench_scores:KernelGenBenchScores",
        "robust_kbench": "assay.scores.rankings:RobustKBenchScores",
        "gpu_mode": "assay.scores.rankings:GpuModeScores",
    },
)
