"""Bundle check: the verdicts of a bundle made again, from what was seen or by running.

The rule: nothing of a bundle runs on this side of the wall. A verdict is made again from stored
observations by the judge alone, which is pure. Where candidates are evaluated again the task is
this machine's own: a reference runs beside the judge, and a bundle's could be anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import assay
from assay.data.baselines import EAGER, NAMES
from assay.data.published.bundle import Agreement, Manifest, MeasuredAgain, VerifiedEntry
from assay.data.published.recheck import MeasuredSpeed
from assay.data.run import Entry, Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.data.verdict import Status, Verdict
from assay.engine.judge import Judge
from assay.errors import UsageError
from assay.judgement import judged_again
from assay.scores.claim_check import measured_speed
from assay.store.bundles.evaluator_id import evaluator_id


def verified(entry: Entry, stored: Judgement | None, manifest: Manifest) -> VerifiedEntry:
    """One entry, judged again from its stored observations."""
    known = VerifiedEntry(
        number=entry.number,
        candidate=entry.candidate.name,
        task=entry.task.id,
        stored=None if stored is None else stored.verdict.status,
        judged=None,
        verdict=Agreement.UNKNOWN,
        why="the run has not judged it",
    )
    if stored is None:
        return known
    try:
        after = judged_again(stored).verdict
    except Exception as error:  # observations of someone else need not fit together
        why = f"its observations cannot be judged: {type(error).__name__}: {error}"
        return known.model_copy(update={"verdict": Agreement.DIFFERS, "why": why})
    differs = tuple(
        name
        for name in Verdict.model_fields
        if getattr(after, name) != getattr(stored.verdict, name)
    )
    update = {
        "judged": after.status,
        "verdict": Agreement.DIFFERS if differs else Agreement.SAME,
        "differs": differs,
        "why": other_judge(manifest) if differs else "",
    }
    return known.model_copy(update=update)


def other_judge(manifest: Manifest) -> str:
    """What is known of the judge that made the stored verdicts, where they are not this one's."""
    if manifest.assay != assay.__version__:
        return f"Assay {manifest.assay} judged it, this is {assay.__version__}: the rules changed"
    if manifest.evaluator != evaluator_id():
        return f"another state of Assay {assay.__version__} wrote the bundle: the rules may differ"
    return "the same judge makes another verdict of its observations: the record was changed"


@dataclass
class MeasuringAgain:
    """Candidates evaluated again, each with the plan of its stored verdict."""

    judge: Judge
    tasks: Sequence[Task]  # of this machine
    device: str | None = None  # instead of the run's
    allow_packages: tuple[str, ...] = ()
    _known: Mapping[tuple[str, str], Task] = field(init=False)

    def __post_init__(self) -> None:
        self._known = {(task.id, task.content_id): task for task in self.tasks}

    def measured(self, entry: Entry, stored: Judgement) -> MeasuredAgain | str:
        """What it is now beside what it was; a text says why it cannot be evaluated."""
        task = self._known.get((entry.task.id, entry.task.content_id))
        plan, settings = stored.verdict.plan, stored.settings
        if task is None:
            return f"the task '{entry.task.id}' of the bundle is none of the suite's: --suite"
        if plan is None:
            return "that evaluation ended before a plan was drawn"
        if shown := set(settings.allow_packages) - set(self.allow_packages):
            return f"it was shown packages: --allow-package {' '.join(sorted(shown))}"
        device = self.device or settings.device
        again = plan.model_copy(update={"device": device})
        try:
            found = self.judge.evaluate_many(
                task, [entry.candidate], _here(settings, device), None, again
            )
            (judgement,) = found
        except UsageError as error:
            return str(error)
        return compared(stored.verdict, judgement.verdict)


def _here(settings: Settings, device: str) -> Settings:
    """The settings of the bundle; a baseline that is a file of another machine is left out."""
    named = tuple(one for one in settings.baselines if one in NAMES) or (EAGER,)
    return settings.model_copy(update={"device": device, "baselines": named, "jobs": 1})


def compared(before: Verdict, after: Verdict) -> MeasuredAgain:
    """Two evaluations of one candidate by one plan: the answers, and the speeds' intervals."""
    answers = [(one.status, one.correct, one.honest) for one in (before, after)]
    speeds = [measured_speed(one) for one in (before, after)]
    speed, why = _speeds(*speeds)
    if answers[0] != answers[1]:
        why = f"{before.status.value} then, now {after.status.value}: {after.reason}"
    unsure = after.status is Status.NOT_RUN
    same = Agreement.SAME if answers[0] == answers[1] else Agreement.DIFFERS
    return MeasuredAgain(
        status=after.status,
        verdict=Agreement.UNKNOWN if unsure else same,
        speed=speed,
        before=speeds[0],
        after=speeds[1],
        why=why,
    )


def _speeds(before: MeasuredSpeed | None, after: MeasuredSpeed | None) -> tuple[Agreement, str]:
    if before is None or after is None:
        return Agreement.UNKNOWN, "no speed was measured " + ("then" if before is None else "now")
    if before.device != after.device:
        return Agreement.UNKNOWN, f"measured on {before.device} then, now on {after.device}"
    if before.baseline != after.baseline:
        return Agreement.UNKNOWN, f"the baseline was {before.baseline}, now {after.baseline}"
    if before.speedup_low <= after.speedup_high and after.speedup_low <= before.speedup_high:
        return Agreement.SAME, ""
    return Agreement.DIFFERS, (
        f"{before.speedup:.2f}x [{before.speedup_low:.2f} {before.speedup_high:.2f}] then, now "
        f"{after.speedup:.2f}x [{after.speedup_low:.2f} {after.speedup_high:.2f}]"
    )


def disagreements(found: Sequence[VerifiedEntry]) -> Iterator[VerifiedEntry]:
    """Entries of which something was made again and came out otherwise."""
    for one in found:
        again = one.measured
        if Agreement.DIFFERS in (one.verdict, *((again.verdict, again.speed) if again else ())):
            yield one
