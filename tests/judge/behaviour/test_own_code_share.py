"""What samples prove, and what they do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.settings import Track
from assay.judge.behaviour.own_code_share import Sampled, findings, share, silenced_findings

SLOW_US = 140.0  # more than bookkeeping needs, less than convicts by itself


def _sampled(own: int, library: int) -> Sampled:
    names = ("libtorch_cpu.so", "mm")
    return Sampled(own, library, library, 20, SLOW_US if library else 0.0, names)


@pytest.mark.parametrize(
    ("own", "library", "low", "high"),
    [(50, 50, 0.4038, 0.5962), (0, 30, 0.0, 0.1135), (30, 0, 0.8865, 1.0), (1, 99, 0.0018, 0.0545)],
)
def test_wilson(own: int, library: int, low: float, high: float) -> None:
    found = share(own, library)
    assert found.mid == own / (own + library)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-4)


def test_nothing_is_everything() -> None:
    assert (share(0, 0).low, share(0, 0).high) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("own", "library", "severity"),
    [
        (0, 60, Severity.CONVICTS),
        (12, 280, Severity.CONVICTS),
        (20, 60, Severity.CONVICTS),
        (130, 145, Severity.SUSPICIOUS),
        (130, 60, Severity.SUSPICIOUS),
        (30, 6, Severity.NOTE),
    ],
)
def test_delegation_by_degree(own: int, library: int, severity: Severity) -> None:
    (found,) = findings(_sampled(own, library), Track.KERNEL)
    assert (found.kind, found.severity) == (EvidenceKind.DELEGATION, severity)
    assert "libtorch_cpu.so, mm" in found.text


@pytest.mark.parametrize(("own", "library"), [(300, 0), (300, 6), (111, 2), (160, 3)])
def test_honest_kernels_show_nothing(own: int, library: int) -> None:
    assert findings(_sampled(own, library), Track.KERNEL) == ()


def test_too_few_are_unknown_and_unknown_is_suspicious() -> None:
    (found,) = findings(_sampled(0, 14), Track.KERNEL)
    assert (found.kind, found.severity) == (EvidenceKind.UNKNOWN, Severity.SUSPICIOUS)
    hidden = replace(_sampled(0, 14), bystanders=100, others=400)
    assert findings(hidden, Track.KERNEL)[0].severity is Severity.SUSPICIOUS


def test_few_are_a_note_where_hardly_anything_computes() -> None:
    moving = replace(_sampled(9, 0), bystanders=400, others=30)
    (found,) = findings(moving, Track.KERNEL)
    assert (found.kind, found.severity) == (EvidenceKind.UNKNOWN, Severity.NOTE)
    joining = replace(_sampled(2, 0), bystanders=3, neutral=80)
    assert findings(joining, Track.KERNEL)[0].severity is Severity.NOTE


def test_a_refusal_is_unknown() -> None:
    (found,) = findings(replace(_sampled(0, 99), reason="refused"), Track.KERNEL)
    assert found.kind is EvidenceKind.UNKNOWN and "refused" in found.text
    assert found.severity is Severity.SUSPICIOUS


@pytest.mark.parametrize(
    ("library", "bystanders", "severity"),
    [(300, 40, Severity.CONVICTS), (150, 200, Severity.SUSPICIOUS), (40, 300, Severity.NOTE)],
)
def test_what_computes_with_kernels_silenced_is_a_librarys(
    library: int, bystanders: int, severity: Severity
) -> None:
    silenced = replace(_sampled(0, library), bystanders=bystanders)
    (found,) = silenced_findings(silenced, Track.KERNEL)
    assert (found.kind, found.severity) == (EvidenceKind.DELEGATION, severity)


def test_silenced_kernels_leave_bookkeeping() -> None:
    assert silenced_findings(replace(_sampled(0, 300), library_us=9.0), Track.KERNEL) == ()
    assert silenced_findings(replace(_sampled(0, 6), bystanders=90), Track.KERNEL) == ()
    (found,) = silenced_findings(replace(_sampled(0, 6), bystanders=0), Track.KERNEL)
    assert (found.kind, found.severity) == (EvidenceKind.UNKNOWN, Severity.SUSPICIOUS)
    assert silenced_findings(_sampled(0, 300), Track.MIXED) == ()


def test_bookkeeping_is_no_delegation() -> None:
    """On a tiny shape the library's few microseconds outweigh the kernel."""
    assert findings(replace(_sampled(10, 40), library_us=4.0), Track.KERNEL) == ()
    assert findings(replace(_sampled(10, 40), bystanders=900), Track.KERNEL) == ()


def test_an_interpreted_kernel_runs_as_library_calls() -> None:
    numpy = Sampled(0, 40, 1, 300, SLOW_US, ("_multiarray_umath",), interpreted=True)
    assert findings(numpy, Track.KERNEL) == ()
    (found,) = findings(replace(numpy, library=240, in_torch=234, bystanders=60), Track.KERNEL)
    assert found.severity is Severity.CONVICTS


def test_other_tracks() -> None:
    (found,) = findings(_sampled(0, 60), Track.MIXED)
    assert found.severity is Severity.NOTE and "0 % (0 to 6 %)" in found.text
    assert findings(_sampled(0, 60), Track.OPEN) == ()


def test_library_time_convicts_whatever_else_runs() -> None:
    """A product of 2 ms beside slow own code or threads that idle."""
    long = replace(_sampled(180, 12), library_us=2000.0)
    (found,) = findings(long, Track.KERNEL)
    assert found.severity is Severity.CONVICTS and "of each call" in found.text
    assert findings(replace(long, library_us=100.0), Track.KERNEL) == ()
    assert findings(replace(long, closes=True), Track.KERNEL) == ()


def test_library_time_beside_nine_tenths_of_own_code_is_suspicious() -> None:
    """Autograd's own work around an honest backward pass, on a machine that does much else."""
    (found,) = findings(replace(_sampled(198, 7), library_us=500.0), Track.KERNEL)
    assert found.severity is Severity.SUSPICIOUS and "of each call" in found.text


def test_stray_samples_and_passing_looks_are_no_library_time() -> None:
    assert findings(replace(_sampled(180, 4), library_us=9000.0), Track.KERNEL) == ()
    assert findings(replace(_sampled(300, 8), library_us=2000.0, passing=True), Track.KERNEL) == ()


def test_library_time_of_an_interpreted_kernel_is_torchs() -> None:
    numpy = Sampled(0, 400, 10, 300, 40_000.0, ("_multiarray_umath",), interpreted=True)
    assert numpy.library_low_us == pytest.approx(1000.0 * 0.0078 / (10 / 700), rel=0.02)


def _tiny(name: str, in_torch: int) -> Sampled:
    return Sampled(
        own=0,
        library=41,
        in_torch=in_torch,
        bystanders=80,
        library_us=6.0,
        names=(name,),
    )


def test_a_product_of_some_microseconds_is_no_bookkeeping() -> None:
    (found,) = findings(_tiny("libscipy_openblas64_-56d6093b.so", 0), Track.KERNEL)
    assert found.severity is Severity.CONVICTS


def test_a_tiny_call_of_torch_or_numpy_is() -> None:
    assert findings(_tiny("libtorch_cpu.so", 41), Track.KERNEL) == ()
    assert (
        findings(_tiny("_multiarray_umath.cpython-312-x86_64-linux-gnu.so", 0), Track.KERNEL) == ()
    )


def _in_the_interpreter(own: int, interpreter_us: float) -> Sampled:
    return Sampled(
        own=own,
        library=0,
        in_torch=0,
        bystanders=1000,
        library_us=0.0,
        names=(),
        interpreter=1000,
        interpreter_us=interpreter_us,
    )


def test_a_long_call_of_nothing_but_the_interpreter_is_suspicious() -> None:
    for own in (0, 20):
        (found,) = findings(_in_the_interpreter(own, 30e3), Track.KERNEL)
        assert found.severity is Severity.SUSPICIOUS and "interpreter computes" in found.text
        assert findings(_in_the_interpreter(own, 30e3), Track.OPEN) == ()


def test_a_short_call_or_one_that_computes_beside_the_interpreter_is_not() -> None:
    assert findings(_in_the_interpreter(60, 30e3), Track.KERNEL) == ()
    (found,) = findings(_in_the_interpreter(0, 800.0), Track.KERNEL)
    assert found.severity is Severity.NOTE
    passing = replace(_in_the_interpreter(0, 30e3), passing=True)
    (found,) = findings(passing, Track.KERNEL)
    assert found.severity is Severity.NOTE


def test_a_blas_inside_of_torch_that_torch_did_not_run_keeps_no_books() -> None:
    short = replace(_sampled(2, 60), library_us=12.0, bystanders=200)
    assert findings(short, Track.KERNEL) == ()
    direct = replace(short, names=("the BLAS inside of libtorch_cpu.so",))
    (found,) = findings(direct, Track.KERNEL)
    assert found.severity is Severity.CONVICTS
    rare = replace(direct, bystanders=2000)
    assert findings(rare, Track.KERNEL) == ()


@pytest.mark.parametrize(
    ("unseen", "severity"), [(10, None), (45, Severity.NOTE), (150, Severity.SUSPICIOUS)]
)
def test_threads_that_nobody_could_meet_acquit_nobody(
    unseen: int, severity: Severity | None
) -> None:
    looked = replace(_sampled(100, 0), unseen=unseen)
    assert [e.severity for e in findings(looked, Track.KERNEL)] == [severity] * bool(severity)
    assert not findings(replace(looked, passing=True), Track.KERNEL)
