"""Generated code: files that torch's Inductor wrote while the candidate was built or called.

The rule: read from outside, while the candidate stands still. What the candidate's own sources hold
as text is its own, whoever wrote it first; a module that only calls the candidate's own Triton
kernels, as Inductor writes for a compiled function around them, holds no kernel of Inductor's.
"""

from __future__ import annotations

import re

from assay.checks.check_contract import Check, CheckContext
from assay.data.candidate import Candidate
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import GeneratedSeen
from assay.data.settings import Track
from assay.sandbox.host import scratch

# How Inductor begins the module that it writes for a graph.
_MAGIC = b"# AOT ID: "
_KERNEL = re.compile(rb"async_compile\.(?:cpp|halide|mps)|async_compile\.triton\(\s*'triton_")
_MOST_BYTES = 16 << 20
_KEPT = 8


def read_generated(context: CheckContext) -> list[GeneratedSeen]:
    """The scratch folder of a candidate that stands still."""
    context.session.process.freeze()
    return [generated_files(context.session.process.scratch, context.candidate)]


def generated_files(root: int, candidate: Candidate) -> GeneratedSeen:
    """Every module of Inductor's below the folder that is not the candidate's own text."""
    texts = [file.text.strip() for file in candidate.sources]
    try:
        found = scratch.files_beginning(root, _MAGIC, _MOST_BYTES)
        kernels = ((path, data) for path, _, data in found if _KERNEL.search(data))
        files = [path for path, data in kernels if not _is_own(data, texts)]
    except (scratch.Unkeepable, OSError) as error:
        return GeneratedSeen(reason=str(error))
    return GeneratedSeen(files=tuple(sorted(files)[:_KEPT]))


def _is_own(data: bytes, texts: list[str]) -> bool:
    text = data.decode("utf-8", "replace").strip()
    return any(text in own for own in texts)


CHECK = Check(
    CheckDeclaration(
        name="generated code",
        text="Did a compiler of the library write the kernel?",
        kinds=(EvidenceKind.GENERATED_KERNEL,),
        cost=Cost.NOTHING,
        most="one look at its scratch folder",
        stages=(CheckStage.CALLED,),
        tracks=(Track.KERNEL, Track.MIXED),
    ),
    read_generated,
)
