"""Signatures for Triton kernels are inferred from what the kernels do and how they are launched."""

from __future__ import annotations

from textwrap import dedent

from assay.data.candidate import Candidate, SourceFile
from assay.languages.triton.triton_kernels import triton_launches
from assay.languages.triton.triton_signature import LanguageType, TritonLaunch

HEAD = "import triton\nimport triton.language as tl\n"


def launches(text: str) -> dict[str, TritonLaunch]:
    file = SourceFile(path="kernel.py", text=HEAD + dedent(text))
    candidate = Candidate(name="k", language="triton", sources=(file,))
    return {launch.kernel: launch for launch in triton_launches(candidate)}


def kinds(launch: TritonLaunch) -> dict[str, str]:
    return {one.name: one.kind for one in launch.parameters if one.kind != "constexpr"}


def constants(launch: TritonLaunch) -> dict[str, tuple[object, str]]:
    marked = (one for one in launch.parameters if one.kind == "constexpr")
    return {one.name: (one.value, one.source) for one in marked}


def test_pointers_sizes_and_floats() -> None:
    text = """
        @triton.jit
        def scaled(x, rows, out, n, stride, alpha, seed, BLOCK: tl.constexpr):
            o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
            row = tl.load(rows + o, mask=o < n)
            p = x + row * stride + o
            v = tl.load(p, mask=o < n) * alpha + tl.rand(seed, o)
            tl.store(out + o, v, mask=o < n)
    """
    (launch,) = launches(text).values()
    assert kinds(launch) == {
        "x": "*fp32",
        "rows": "*i64",
        "out": "*fp32",
        "n": "i32",
        "stride": "i32",
        "alpha": "fp32",
        "seed": "i32",
    }
    assert constants(launch) == {"BLOCK": (128, "a guess")}
    assert "x, out: *fp32, divisible by 16" in launch.assumed()
    assert "alpha: fp32" in launch.assumed()


def test_pointers_that_move_and_that_are_handed_over() -> None:
    text = """
        @triton.jit
        def helper(place, value):
            tl.store(place, value)

        @triton.jit
        def moving(A, B, K, step, BK: tl.constexpr):
            r = tl.arange(0, BK)
            a = tl.make_block_ptr(base=A, shape=(K,), strides=(1,), offsets=(0,),
                                  block_shape=(BK,), order=(0,))
            for k in range(0, tl.cdiv(K, BK)):
                helper(B + r, tl.load(a))
                a = tl.advance(a, (BK,))
                B += step
    """
    found = launches(text)
    assert list(found) == ["moving"], "what kernels call is no kernel"
    assert kinds(found["moving"]) == {"A": "*fp32", "B": "*fp32", "K": "i32", "step": "i32"}
    assert constants(found["moving"])["BK"][0] in (32, 128)


def test_the_launch_decides_then_the_default_then_a_guess() -> None:
    text = """
        SIZE = 256

        @triton.jit
        def k(x, bias, n, p, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr = 8,
              HAS_BIAS: "tl.constexpr" = None, ACT: tl.constexpr = other, DT: tl.constexpr = 1):
            o = tl.arange(0, A)
            if ACT == "relu":
                tl.store(x + o, tl.load(x + o) * p)

        def run(x):
            width = 64
            k[(1,)](x, None, x.numel(), 0.5, SIZE, B=width, DT=tl.bfloat16, num_warps=8)
    """
    (launch,) = launches(text).values()
    assert constants(launch) == {
        "bias": (None, "its launch"),
        "A": (256, "its launch"),
        "B": (64, "its launch"),
        "C": (8, "its default"),
        "HAS_BIAS": (None, "its default"),
        "ACT": ("relu", "a guess"),
        "DT": (LanguageType("bfloat16"), "its launch"),
    }
    assert launch.options == (("num_warps", 8),)
    assert kinds(launch)["p"] == "fp32"


def test_configurations_and_heuristics_change_the_launch() -> None:
    text = """
        @triton.jit
        def k(x, n, BM: tl.constexpr, EVEN: tl.constexpr, ODD: tl.constexpr):
            o = tl.arange(0, BM)
            tl.store(x + o, 0.0, mask=o < n)
    """
    (launch,) = launches(text).values()
    launch = launch.configured({"BM": 32}, {"num_warps": 2})
    launch = launch.decided({"EVEN": lambda a: a["n"] % a["BM"] == 0, "ODD": lambda a: a["none"]})
    values = {name: value for name, (value, _) in constants(launch).items()}
    assert values["BM"] == 32 and values["EVEN"] is True and launch.options == (("num_warps", 2),)
    assert {one.kind for one in launch.with_pointers_to("fp16").parameters} >= {"*fp16", "i32"}


def test_other_languages_and_unreadable_files_hold_no_triton_kernel() -> None:
    assert launches("import numba\n@numba.jit\ndef k(x): ...\n") == {}
    assert launches("def (:\n") == {}
    assert launches("@triton.jit\ndef plus(a, b):\n    return a + b\n") == {}
