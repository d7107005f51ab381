"""What a report keeps of a judgement."""

from __future__ import annotations

from pathlib import Path

from assay.data.generator import Generator
from assay.data.observations.call import CallOutcome, CallSeen, ErrorSummary, Mix, OutputSeen
from assay.data.observations.explanation import Explanation, PatternKind, WrongElement
from assay.data.observations.measurement import Measurement
from assay.data.observations.observation import Observation, TimesSeen
from assay.data.run import Entry
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.data.workload import Workload
from assay.report.export.markdown_report import markdown_report
from assay.report.html.gathered_report import GatheredReport, generator_name, of_run
from assay.report.html.report_data import ReportVerdict
from assay.report.html.reproduce_commands import VerdictOrigin
from assay.store.imports.kernelbench_x_corpus import KernelBenchXCorpus
from foreign_records import corpus, written
from sample_records import TASK, candidate, judgement
from synthetic_run import RUN, judged


def kept(*seen: Observation, **verdict: object) -> ReportVerdict:
    made = judgement(candidate(), Settings(), Status.INCORRECT)
    changed = made.verdict.model_copy(update=verdict)
    made = made.model_copy(update={"observations": seen, "verdict": changed})
    report = GatheredReport(VerdictOrigin("softmax"), with_records=True)
    report.add(Entry(number=0, task=TASK, candidate=made.candidate), made)
    return report.verdicts[0]


def call(*used: float | None) -> CallSeen:
    outputs = [OutputSeen(name="y", error=ErrorSummary(budget_used=one)) for one in used]
    return CallSeen(
        index=0,
        workload=0,
        mix=Mix.PLAIN,
        outcome=CallOutcome.RETURNED,
        outputs=(*outputs, OutputSeen(name="no tensor")),
    )


def test_errors_are_those_of_every_output_and_the_rest_is_counted() -> None:
    found = kept(call(0.12345, None), call(0.0))
    assert found.errors == (0.123, 0.0) and found.errors_not_finite == 1


def test_imported_gains_within_noise_are_counted_in_words(tmp_path: Path) -> None:
    read = KernelBenchXCorpus().read(written(tmp_path / "some.jsonl", corpus()))
    data = of_run(RUN, ((one, None) for one in read.entries), "RUN")
    (words,) = data.claimed_gains
    assert "2 of 3 claimed gains are within noise: less than 5 %" in words
    assert "2 of 3 claimed gains are within noise" in markdown_report(data)
    assert of_run(RUN, judged(tasks=1, rounds=2, workloads=1), "RUN").claimed_gains == ()


def test_many_samples_are_thinned_and_few_are_not() -> None:
    def measured(count: int) -> TimesSeen:
        samples = tuple(float(number) for number in range(count))
        one = Measurement(
            subject="candidate",
            method="rounds",
            clock="outside",
            cache="cold",
            calls_per_sample=(1,),
            samples_us=samples,
        )
        return TimesSeen(measurements=(one,))

    few, many = kept(measured(3)).samples[0], kept(measured(1201)).samples[0]
    assert few.samples_us == (0.0, 1.0, 2.0)
    assert 250 <= len(many.samples_us) <= 500 and many.samples_us[-1] > 1190


def test_an_explanation_becomes_lines() -> None:
    shape = Workload(axes={"n": 3}, dtype="float32")
    element = WrongElement(index=(2,), expected="1", got="nan", budget_used=None)
    found = kept(
        explanation=Explanation(
            found_on=shape,
            smallest=shape,
            output="y",
            shape=(3,),
            pattern=PatternKind.TAIL,
            text="the last element",
            failure_conditions=("where n is odd",),
            wrong=1,
            total=3,
            worst=(element,),
            tries=4,
        )
    )
    assert found.explanation.splitlines() == [
        "tail: the last element",
        "fails where n is odd",
        "smallest failing workload: n=3 float32",
        "[2]: expected 1, got nan",
    ]


def test_the_record_is_kept_where_no_store_holds_it() -> None:
    assert '"secret":"5ec7e7"' in kept().record


def test_a_run_is_gathered_whole() -> None:
    data = of_run(RUN, judged(tasks=2, rounds=2, workloads=3), "place")
    assert len(data.verdicts) == 12 and len(data.tasks) == 2 and len(data.environments) == 1
    accepted = next(verdict for verdict in data.verdicts if verdict.status == "accepted")
    assert len(accepted.errors) == 30 and len(accepted.workloads) == 3
    assert [one.subject for one in accepted.samples] == ["candidate", "eager"]
    assert accepted.peaks is not None and accepted.limits is not None
    assert accepted.rubric == {"representation": 2, "hardware": 1} and not accepted.record


def test_each_generator_has_a_profile_that_names_its_kernels() -> None:
    data = of_run(RUN, judged(tasks=4, rounds=2, workloads=1), "place")
    accepted = {one.name for one in data.verdicts if one.status == "accepted"}
    assert {one.generator for one in data.profiles} == {one.generator for one in data.verdicts}
    assert sum(one.candidates for one in data.profiles) == len(data.verdicts)
    cells = [cell for profile in data.profiles for cell in profile.cells]
    assert cells and {cell.kernel for cell in cells} <= accepted
    assert all("R2 H1" in cell.line for cell in cells)


def test_what_is_not_judged_yet_is_open() -> None:
    entry = Entry(number=0, task=TASK, candidate=candidate())
    data = of_run(RUN, [(entry, None)], "place")
    assert data.verdicts[0].status == "open" and data.verdicts[0].commands == ()


def test_generators_have_one_name() -> None:
    assert generator_name(None) == "not stated"
    assert generator_name(Generator(name="a")) == "a"
    assert generator_name(Generator(name="a", version="1", model="m")) == "a 1 (m)"
