"""The generators by name: ours, and those of other distributions.

The rule: a generator's module is imported when it is asked for by name, never before.
"""

from __future__ import annotations

from assay.generators.candidate_generator import CandidateGenerator
from assay.plugins import Registry

_HERE = "assay.generators"

GENERATORS: Registry[CandidateGenerator] = Registry(
    CandidateGenerator,
    "assay.generators",
    {
        "completion": f"{_HERE}.completion.completion_generator:CompletionGenerator",
        "agent": f"{_HERE}.agent.agent_generator:AgentGenerator",
        "eager": f"{_HERE}.one_candidate_generator:EagerGenerator",
        "inductor-cpp": f"{_HERE}.one_candidate_generator:InductorCppGenerator",
        "inductor-triton": f"{_HERE}.one_candidate_generator:InductorTritonGenerator",
        "template-search": f"{_HERE}.templates.template_generator:TemplateGenerator",
        "replay": f"{_HERE}.replay_generator:ReplayGenerator",
        "mutate": f"{_HERE}.mutate_generator:MutateGenerator",
    },
)


def generator(name: str) -> CandidateGenerator:
    """The generator of that name."""
    return GENERATORS.get(name)
