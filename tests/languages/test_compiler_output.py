"""What compilers print becomes figures, and what they do not say stays unknown."""

from __future__ import annotations

import pytest

from assay.errors import UsageError
from assay.languages.architecture import AMD, NVIDIA, architecture
from assay.languages.compiler_output import (
    Resources,
    amd_resources,
    plain_name,
    ptx_entries,
    ptxas_resources,
    sass_functions,
)
from assay.languages.instruction_families import amd_families, ptx_families

LOG = """
ptxas info    : Compiling entry function '_Z3addPf' for 'sm_90a'
ptxas info    : Function properties for _Z3addPf
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]
ptxas-blackwell info    : Function properties for other
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas-blackwell info    : Used 8 registers, used 0 barriers
ptxas info    : Function properties for unsaid
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
"""
PTX = """
.visible .entry add(
  .param .u64 wgmma_param) {
  // wgmma.mma_async.sync in a comment
  @%p1 bra $L__wgmma;
  wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%f1}, %rd1, %rd2;
  @%p2 cp.async.cg.shared.global [ %r1 + 0 ], [ %rd1 + 0 ], 0x10, %r2;
  { cp.async.bulk.tensor.2d.shared::cluster.global [%r1], [%rd1]; }
  @!%p3 atom.global.gpu.acq_rel.add.f32 %f1, [%rd1], %f2;
  ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
}
.entry second()
{ ret; }
"""
SASS = """
  Function : add
        /*0010*/   @P0 HGMMA.64x64x16.F32 R24, gdesc[UR4], R24 ;   /* 0x1 */
        /*0020*/   LDGSTS.E.BYPASS.128 [R1], [R2.64] ;
        /*0030*/   LDG.E.128 R4, [R2.64] ;
  Function : second
        /*0010*/   EXIT ;
"""


def test_resources_by_kernel() -> None:
    found = ptxas_resources(LOG)
    assert found["_Z3addPf"] == Resources(24, 4096, 16, 20)
    assert found["other"] == Resources(8, 0, 0, 0)
    assert found["unsaid"] == Resources(None, None, 0, 0)


def test_instructions_are_counted_where_they_are_issued() -> None:
    text = ptx_entries(PTX)["add"]
    counted = {one.name: (one.assembly, one.binary) for one in ptx_families(text, None)}
    assert counted == {
        "wgmma": (1, None),
        "TMA": (1, None),
        "cp.async": (1, None),
        "atomics": (1, None),
        "vector access": (1, None),
    }
    code = sass_functions(SASS)
    counted = {one.name: (one.assembly, one.binary) for one in ptx_families(text, code["add"])}
    assert counted["wgmma"] == (1, 1) and counted["cp.async"] == (1, 1)
    assert counted["atomics"] == (1, 0)
    assert ptx_families(ptx_entries(PTX)["second"], code["second"]) == ()


def test_amd_says_it_in_its_assembly() -> None:
    text = (
        "\tv_mfma_f32_32x32x8_f16 a[0:15], v[1:2], v[3:4], a[0:15] ; v_mfma_ in a comment\n"
        "\tglobal_atomic_add_f32 v0, v1, s[0:1]\n\tglobal_load_dwordx4 v[0:3], v4, s[0:1]\n"
        "    .group_segment_fixed_size: 4096\n  - .private_segment_fixed_size: 8\n"
        "    .vgpr_count:     150\n    .vgpr_spill_count: 2\n"
    )
    counted = {one.name: one.assembly for one in amd_families(text)}
    assert counted == {"v_mfma": 1, "atomics": 1, "vector access": 1}
    assert amd_resources(text) == Resources(150, 4096, 8, 8)
    assert amd_resources("") == Resources()


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("twice", "twice"),
        ("_Z3addPf", "add"),
        ("_Z5scaleIfEvPT_iS0_", "scale"),
        ("_ZN36_GLOBAL__N__2c7fb730_4_b_cu_837fa8ae10add_kernelIfEEvPKT_PS1_l", "add_kernel"),
        ("_ZN2ab3addEPf", "add"),
    ],
)
def test_a_symbol_is_shown_by_its_name_in_the_source(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


def test_architectures_by_name() -> None:
    assert architecture("sm_90a").code_generation == "arch=compute_90a,code=sm_90a"
    assert architecture("sm_100a").triton_target == ("cuda", 100, 32)
    assert architecture("gfx942").triton_target == ("hip", "gfx942", 64)
    assert architecture("gfx1100").triton_target == ("hip", "gfx1100", 32)
    with pytest.raises(UsageError, match=r"unknown architecture 'sm_1'; known: .*sm_90a.*gfx942"):
        architecture("sm_1")
    assert all(architecture(name).amd for name in AMD)
    assert not any(architecture(name).amd for name in NVIDIA)
