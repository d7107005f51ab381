"""Files left: how much lies in the candidate's scratch folder, where that is a file system."""

from __future__ import annotations

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import LeftoverSeen
from assay.sandbox.host.scratch import used_bytes
from assay.sandbox.layers.spec import Isolation

_MOST_WRITTEN = 512 << 20  # what compilers leave behind is a tenth of it


def weigh_files(context: CheckContext) -> list[LeftoverSeen]:
    """A leftover where it is more than any compiler writes."""
    written = used_bytes(context.session.process.scratch)
    if context.wall.isolation is not Isolation.NAMESPACES or written <= _MOST_WRITTEN:
        return []
    text = f"{written >> 20} MiB of files were written"
    return [LeftoverSeen(when=context.stage.value, processes=0, text=text)]


CHECK = Check(
    CheckDeclaration(
        name="files left",
        text="Did it write more files than a compiler leaves behind?",
        kinds=(EvidenceKind.LEFTOVER,),
        cost=Cost.NOTHING,
        most="one look at its scratch folder",
        stages=(CheckStage.CALLED,),
        of_wrong=True,
    ),
    weigh_files,
)
