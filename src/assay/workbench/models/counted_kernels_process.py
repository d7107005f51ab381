"""CountedKernelsProcess: builds the counting model in a sandbox and calls it once.

    python -m assay.workbench.models.counted_kernels_process FOLDER

reads `FOLDER/request.json` and writes `FOLDER/answer.json`: a CountAnswer.

The rule: what the model's task needs is imported here, in a process of its own; the kernels run in
the sandbox behind it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assay.data.plan import Plan
from assay.exam.candidate_build import Builder
from assay.exam.exam import Exam
from assay.exam.secret import Secret
from assay.languages.candidate_file import candidate_of_text
from assay.languages.language_registry import language, needed_packages
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import ALONE, BatchOptions, Place, PlannedCall
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import SandboxExtras, Wall
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from assay.workbench.models.counted_kernels import CountAnswer, CountRequest

_COUNT_BYTES = 8  # an int64
_MOST_TEXT = 300


def main(folder: Path) -> int:
    """Answer, or say why not."""
    request = CountRequest.model_validate_json((folder / "request.json").read_text("utf-8"))
    answer = _counted(request)
    (folder / "answer.json").write_text(answer.model_dump_json(), encoding="utf-8")
    return 0


def _counted(request: CountRequest) -> CountAnswer:
    settings = request.settings
    candidate = candidate_of_text(request.candidate)
    reference = Reference(resolve(request.task))
    exam = Exam(reference, Plan.of(settings, Secret.draw().hex, (reference.own_workload(),)))
    needed = needed_packages(candidate.sources, candidate.language)
    extras = SandboxExtras(
        language(candidate.language).preload, packages=(*needed, *settings.allow_packages)
    )
    with Wall(extras, device=settings.device, tf32=settings.tf32) as wall:
        session = Session(wall, all_packages=True)
        try:
            built = Builder(exam, None).build(session, candidate, settings)
            if not built.seen.ok:
                return CountAnswer(reason=f"{built.seen.phase}: {built.seen.log[-_MOST_TEXT:]}")
            size = _COUNT_BYTES * request.kernels
            call = PlannedCall(0, Place(0, ALONE), exam.throw_away_content, (size,))
            options = BatchOptions(check_inputs=False)
            found = session.run([call], options, Deadline.after(settings.timeout_s)).calls[0]
        except ProcessLost as lost:
            return CountAnswer(reason=lost.text[-_MOST_TEXT:])
        finally:
            session.close()
    counts = found.outputs[0].tensor if found.outputs else None
    if counts is None:
        said = found.record.message if found.record is not None else ""
        return CountAnswer(reason=said or "the forward returned no counts")
    return CountAnswer(counts=tuple(int(one) for one in counts.tolist()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
