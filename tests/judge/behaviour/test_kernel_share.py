"""Whose kernels a device ran, by code, by name and by time."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.data.settings import Track
from assay.judge.behaviour.kernel_owner import KernelOwner, owner
from assay.judge.behaviour.kernel_share import findings
from assay.judge.behaviour.own_names import OwnNames, own_names

OWN = OwnNames(frozenset({"mine"}))
GEMM = "sm80_xmma_gemm_f32f32_tn"
CUB = "void cub::detail::reduce::DeviceReduceKernel<float>(float*)"


def _seen(*kernels: tuple[str, float, str], launches: int = 3) -> KernelsSeen:
    made = (
        KernelSeen(
            name=name,
            launches=launches,
            total_us=total_us,
            registers=32,
            shared_bytes=0,
            grid="1x1x1",
            block="256x1x1",
            library_code=code,
        )
        for name, total_us, code in kernels
    )
    return KernelsSeen(calls=3, kernels=tuple(made), compared=100)


def _severities(seen: KernelsSeen, track: Track = Track.KERNEL) -> list[Severity]:
    found = findings(seen, OWN, track)
    assert all(e.kind is EvidenceKind.DELEGATION for e in found)
    return [e.severity for e in found]


@pytest.mark.parametrize("own_us", [30.0, 300.0, 300_000.0])
def test_a_librarys_product_convicts_however_long_the_own_kernel_runs(own_us: float) -> None:
    seen = _seen(("mine", own_us, ""), (GEMM, 60.0, ""))
    assert _severities(seen) == [Severity.CONVICTS]
    assert _severities(seen, Track.MIXED) == [Severity.NOTE]
    assert _severities(seen, Track.OPEN) == []


def test_records_that_could_not_be_read_never_pass_where_own_kernels_are_asked_for() -> None:
    seen = KernelsSeen(calls=3, reason="cuptiActivityEnable failed")
    for track, severity in ((Track.KERNEL, Severity.SUSPICIOUS), (Track.MIXED, Severity.NOTE)):
        (found,) = findings(seen, OWN, track)
        assert (found.kind, found.severity) == (EvidenceKind.UNKNOWN, severity)
        assert "cuptiActivityEnable failed" in found.text
    assert findings(seen, OWN, Track.OPEN) == []


@pytest.mark.parametrize(
    ("track", "severity"), [(Track.KERNEL, Severity.SUSPICIOUS), (Track.MIXED, Severity.NOTE)]
)
def test_launches_without_a_record_are_unknown_and_what_was_recorded_still_convicts(
    track: Track, severity: Severity
) -> None:
    nothing = KernelsSeen(calls=3, unrecorded=3)
    (found,) = findings(nothing, OWN, track)
    assert (found.kind, found.severity) == (EvidenceKind.UNKNOWN, severity)
    partly = _seen(("mine", 30.0, ""), (GEMM, 60.0, "")).model_copy(update={"unrecorded": 1})
    kinds = [e.kind for e in findings(partly, OWN, track)]
    assert kinds == [EvidenceKind.UNKNOWN, EvidenceKind.DELEGATION]


def test_a_librarys_code_under_an_own_name_convicts_and_both_names_are_said() -> None:
    seen = _seen(("mine", 600.0, "some_library_function"))
    (found,) = findings(seen, OWN, Track.KERNEL)
    assert found.severity is Severity.CONVICTS
    assert "mine, the code of some_library_function" in found.text


def test_tiny_library_launches_beside_an_own_kernel_are_bookkeeping() -> None:
    light = "void at::native::vectorized_elementwise_kernel<4>()"
    assert _severities(_seen(("mine", 300.0, ""), (GEMM, 12.0, ""))) == []
    assert _severities(_seen(("mine", 300.0, ""), (light, 6.0, ""))) == []


@pytest.mark.parametrize("own_us", [300.0, 300_000.0])
def test_a_librarys_product_in_tiny_pieces_is_summed_over_a_call(own_us: float) -> None:
    pieces = (GEMM, 3 * 36 * 3.0, "")  # of 3 us each, 36 in each of three calls
    assert _severities(_seen(("mine", own_us, ""), pieces, launches=3 * 36)) == [Severity.CONVICTS]
    names = [(f"{GEMM}_{number}", 9.0, "") for number in range(12)]  # one launch of each a call
    assert _severities(_seen(("mine", own_us, ""), *names)) == [Severity.CONVICTS]
    assert _severities(_seen(("mine", own_us, ""), (GEMM, 30.0, ""), launches=6)) == []


def test_other_library_kernels_are_judged_by_their_share() -> None:
    light = "void at::native::reduce_kernel<512>()"
    assert _severities(_seen(("mine", 300.0, ""), (light, 30.0, ""))) == []
    assert _severities(_seen(("mine", 300.0, ""), (light, 150.0, ""))) == [Severity.SUSPICIOUS]
    assert _severities(_seen(("mine", 30.0, ""), (light, 150.0, ""))) == [Severity.CONVICTS]


def _names(text: str) -> OwnNames:
    file = SourceFile(path="kernel.cu", text=text)
    return own_names(Candidate(name="k", language="cuda", sources=(file,)))


def test_a_template_of_included_headers_is_own_and_the_librarys_copy_of_it_is_not() -> None:
    including = _names("#include <cub/cub.cuh>\nvoid run() { cub::DeviceReduce::Sum(); }")
    assert owner(CUB, including) is KernelOwner.OWN
    assert owner(CUB, including, "_ZN15at_cuda_detail3cub18DeviceReduceKernel") is KernelOwner.OWN
    assert owner(CUB, including, "sm80_xmma_gemm") is KernelOwner.LIBRARY
    assert owner(CUB, _names("void run() {}")) is KernelOwner.LIBRARY
    inside = f"void at_cuda_detail::{CUB.removeprefix('void ')}"
    assert owner(inside, including) is KernelOwner.LIBRARY
    vendor = "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128>(Params)"
    assert owner(vendor, _names('#include "cutlass/gemm/device/gemm.h"')) is KernelOwner.LIBRARY
    templated = "void cutlass::Kernel<cutlass::gemm::kernel::Gemm<Mma>>(Params)"
    assert owner(templated, _names('#include "cutlass/gemm/device/gemm.h"')) is KernelOwner.OWN


COPY = "_ZN2at6native27unrolled_elementwise_kernelIZZZNS0_23direct_copy_kernel_cudaERNS_18Tensor"
ACTIVATION = "_ZN2at6native29vectorized_elementwise_kernelILi4EZZZNS0_14GeluCUDAKernelImpl"


def test_a_name_of_movement_hides_no_librarys_function() -> None:
    renamed = "vector_direct_copy_kernel_all"
    assert owner(renamed, OWN) is KernelOwner.MOVEMENT
    assert owner(renamed, OWN, ACTIVATION) is KernelOwner.LIBRARY
    seen = _seen(("mine", 30_000.0, ""), (renamed, 600.0, ACTIVATION))
    assert _severities(seen) == [Severity.CONVICTS]


def test_a_librarys_own_copy_is_movement_by_its_code_too() -> None:
    name = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>()"
    assert owner(name, OWN) is KernelOwner.MOVEMENT
    assert owner(name, OWN, COPY) is KernelOwner.MOVEMENT
    assert _severities(_seen(("mine", 30.0, ""), (name, 3000.0, COPY))) == []


def test_a_librarys_name_of_movement_with_other_code_counts_by_its_share() -> None:
    name = "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda>()"
    assert owner(name, OWN, ACTIVATION) is KernelOwner.LIBRARY
    assert _severities(_seen(("mine", 3000.0, ""), (name, 60.0, ACTIVATION))) == []
    assert _severities(_seen(("mine", 30.0, ""), (name, 600.0, ACTIVATION))) == [Severity.CONVICTS]


@pytest.mark.parametrize(
    ("theirs_us", "expected"), [(6.0, [Severity.SUSPICIOUS]), (0.5, [])], ids=["most", "a trace"]
)
def test_a_librarys_code_under_an_own_name_is_no_bookkeeping_on_a_small_task(
    theirs_us: float, expected: list[Severity]
) -> None:
    """Three calls of 2 us each: less than what a renamed product may take, and yet all the work."""
    seen = _seen(("mine", 6.0, ""), ("mine", theirs_us, ACTIVATION))
    assert _severities(seen) == expected
    text = "".join(one.text for one in findings(seen, OWN, Track.KERNEL))
    assert not expected or "under another name (mine, the code of" in text
