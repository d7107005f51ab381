"""The corpus on a GPU: the kernels that only a device can run, and those of the CPU's that move.

    python benchmarks/device_corpus.py [--all] [--slow] [--repeats 1] [--level quick] [--jobs 4]
        [--record out/device_corpus.jsonl] [--cases softmax cheat_name ...] [--stop-after-s 480]

Judges on `cuda`, with timing, the cases of one task behind one wall. Resumable: what is recorded is
not judged again. With `--stop-after-s` no case is begun after that time, so that a lent device is
given back in time. With `--jobs` so many are judged at a time and recorded as they end, the labels
one after another; what is going on when the time is up is cancelled, as it is by SIGTERM. One line
a case, then what is not as labelled, and the machine.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import traceback
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import Future, as_completed
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from device_record import FAILED, DeviceFinding, DeviceRecord

from assay.data.environment import Environment
from assay.data.evidence import Severity
from assay.data.run import Judgement
from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Verdict
from assay.devices.device_registry import backend
from assay.engine.judge import Judge
from assay.pipeline import evaluate_many
from corpus_case import CUDA_CORPUS, CorpusCase, cases
from device_agnostic import applies_on_cuda

LEAST_LEFT_S = 5.0  # to begin another case with


@dataclass(frozen=True)
class Clock:
    """When to stop beginning cases."""

    ends: float

    @property
    def left_s(self) -> float:
        """Seconds until then."""
        return self.ends - time.monotonic()

    def is_over(self) -> bool:
        """Whether nothing more may begin."""
        return self.left_s < LEAST_LEFT_S


@dataclass(frozen=True)
class ProfileRun:
    """How the cases are judged, and where what was found is kept."""

    flags: argparse.Namespace
    record: DeviceRecord
    clock: Clock

    def settings(self, track: str) -> Settings:
        """As asked; nothing may take longer than the time that is left."""
        left_s = max(LEAST_LEFT_S, self.clock.left_s)
        return Settings(
            device=self.flags.device,
            level=Level(self.flags.level),
            track=Track(track),
            timing=not self.flags.no_timing,
            timeout_s=min(self.flags.timeout_s, left_s),
            build_timeout_s=min(self.flags.build_timeout_s, left_s),
        )

    def keep(self, finding: DeviceFinding) -> None:
        """Say it and write it down."""
        mark = "as labelled " if finding.as_labelled else "NOT LABELLED"
        print(f"{mark} {finding.case} ({finding.label}): {finding.status}, {finding.seconds:.1f} s")
        print(f"    {finding.reason[:160]}", flush=True)
        self.record.add(finding)


def main() -> int:
    flags = parsed_flags()
    missing = backend(flags.device).available()
    if missing is not None:
        print(f"device '{flags.device}' cannot be used here: {missing}", file=sys.stderr)
        return 2
    clock = Clock(time.monotonic() + flags.stop_after_s)
    profile_run = ProfileRun(flags, DeviceRecord(flags.record), clock)
    found = chosen(flags)
    names = {case.full_name for case in found}
    print(f"{len(found)} cases, {flags.repeats} times each", flush=True)
    signal.signal(signal.SIGTERM, leave)
    for repeat in range(flags.repeats):
        if flags.jobs > 1:
            with Judge(flags.device, flags.jobs) as together:
                for label in flags.labels:
                    members = [case for case in found if case.label == label]
                    judge_together(together, members, repeat, profile_run)
        else:
            for members in by_task(found):
                judge(members, repeat, profile_run)
    if clock.is_over():
        print("stopped before the end: the time is up")
    print("\n".join(profile_run.record.summary(names)))
    return 0 if profile_run.record.all_as_labelled(names) else 1


def leave(number: int, _: object) -> None:
    """By the way that ends what is going on; what was recorded is on disk."""
    sys.exit(128 + number)


def parsed_flags() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="the CPU corpus too, where it applies")
    parser.add_argument("--slow", action="store_true", help="those that build for minutes, too")
    parser.add_argument("--repeats", type=int, default=1, help="each with a new secret")
    parser.add_argument("--level", choices=[level.value for level in Level], default="quick")
    parser.add_argument("--no-timing", action="store_true")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--record", type=Path, default=Path("out/device_corpus.jsonl"))
    parser.add_argument("--cases", nargs="+", default=[""], help="parts of corpus/task/name")
    parser.add_argument("--labels", nargs="+", default=["honest", "cheat", "wrong"])
    parser.add_argument("--jobs", type=int, default=1, help="cases judged at a time")
    parser.add_argument("--timeout-s", type=float, default=30.0, help="of one batch of calls")
    parser.add_argument("--build-timeout-s", type=float, default=150.0)
    parser.add_argument("--stop-after-s", type=float, default=86400.0)
    return parser.parse_args()


def chosen(flags: argparse.Namespace) -> list[CorpusCase]:
    """Device-only cases first, honest ones first: a broken device shows at once."""
    moved = [case for case in cases() if applies_on_cuda(case)] if flags.all else []
    ordered = sorted(cases(CUDA_CORPUS), key=lambda case: case.label != "honest")
    return [
        case
        for case in [*ordered, *moved]
        if case.label in flags.labels
        and (flags.slow or not case.slow)
        and any(part in case.full_name for part in flags.cases)
    ]


def by_task(found: Iterable[CorpusCase]) -> list[list[CorpusCase]]:
    """Cases that share one exam and one wall."""
    groups: dict[tuple[str, str], list[CorpusCase]] = defaultdict(list)
    for case in found:
        groups[case.task_source, case.track].append(case)
    return list(groups.values())


def judge(members: list[CorpusCase], repeat: int, profile_run: ProfileRun) -> None:
    """One exam; where our own machinery breaks at a case, the next begins behind a new wall."""
    left = [case for case in members if not profile_run.record.has(case.full_name, repeat)]
    while left and not profile_run.clock.is_over():
        started = time.monotonic()
        try:
            for verdict in verdicts(left, profile_run):
                profile_run.keep(finding_of(left.pop(0), repeat, verdict))
                started = time.monotonic()
                if profile_run.clock.is_over():
                    return
        except Exception as error:  # a fault of ours costs one case, not the lease
            keep_failure(left.pop(0), repeat, error, time.monotonic() - started, profile_run)


def judge_together(
    together: Judge, members: list[CorpusCase], repeat: int, profile_run: ProfileRun
) -> None:
    """All at once, as many at a time as there are jobs; each is recorded when it ends."""
    record, clock = profile_run.record, profile_run.clock
    left = [case for case in members if not record.has(case.full_name, repeat)]
    if clock.is_over():
        return
    asked = {submitted(together, case, profile_run): case for case in left}
    started = time.monotonic()
    try:
        for done in as_completed(asked, max(0.0, clock.left_s)):
            case, error = asked[done], done.exception()
            if error is None:
                profile_run.keep(finding_of(case, repeat, done.result().verdict))
            else:
                keep_failure(case, repeat, error, time.monotonic() - started, profile_run)
    except TimeoutError:
        pass  # said at the end
    finally:
        for one in asked:
            one.cancel()


def submitted(together: Judge, case: CorpusCase, profile_run: ProfileRun) -> Future[Judgement]:
    options = profile_run.settings(case.track).model_dump(exclude_unset=True)
    return together.submit(case.task_source, case.path, **options)


def keep_failure(
    case: CorpusCase, repeat: int, error: BaseException, spent_s: float, profile_run: ProfileRun
) -> None:
    """A fault of ours."""
    traceback.print_exception(error)
    text = f"{type(error).__name__}: {error}"
    facts = (case.full_name, repeat, case.label, FAILED, False, (), text, spent_s, "")
    profile_run.keep(DeviceFinding(*facts))


def verdicts(left: list[CorpusCase], profile_run: ProfileRun) -> Iterable[Verdict]:
    settings = profile_run.settings(left[0].track)
    paths = [case.path for case in left]
    return (one.verdict for one in evaluate_many(left[0].task_source, paths, settings))


def finding_of(case: CorpusCase, repeat: int, verdict: Verdict) -> DeviceFinding:
    heavy = {e.kind.value for e in verdict.evidence if e.severity is not Severity.NOTE}
    return DeviceFinding(
        case=case.full_name,
        repeat=repeat,
        label=case.label,
        status=verdict.status.value,
        as_labelled=case.is_answered_by(verdict),
        kinds=tuple(sorted(heavy)),
        reason=verdict.reason,
        seconds=round(verdict.elapsed_s, 2),
        machine=machine(verdict.environment),
    )


def machine(environment: Environment) -> str:
    device = environment.device
    driver = f"driver {device.driver}, " if device.driver else ""
    return f"{device.name}, {driver}torch {environment.torch}, Python {environment.python}"


if __name__ == "__main__":
    sys.exit(main())
