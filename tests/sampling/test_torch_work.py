"""What a sample inside of torch stands for: computing, moving data, or nobody that is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.sampling.looks.moment import CountedLook, Moment
from assay.sampling.mapped_objects import Owner
from assay.sampling.sampler import Sampler

COPY, SUM = frozenset({"copy_"}), frozenset({"sum_dim_IntList"})
POOL = None  # the stack of a pool's thread says nothing


def look(operators: frozenset[str] | None, block: int = 1, function: str = "") -> Any:
    return SimpleNamespace(
        registers=SimpleNamespace(pc=256 * block),
        operators=lambda: operators,
        c_function=lambda: function,
        responsible=lambda: (Owner.LIBRARY, "libtorch_cpu.so"),
    )


def counted(one: Any, *beside: frozenset[str]) -> CountedLook:
    return CountedLook(one, 1.0, lambda: [look(operators) for operators in beside])


@pytest.fixture
def sampler() -> Sampler:
    made = Sampler(list, "/nowhere")
    made._looks = cast(Any, SimpleNamespace(clocked=True))
    return made


def test_who_has_an_operator_on_its_stack_does_what_that_does(sampler: Sampler) -> None:
    assert sampler._note(counted(look(COPY))) is Owner.MOVEMENT
    assert sampler._note(counted(look(SUM))) is Owner.LIBRARY
    assert sampler._note(counted(look(COPY | SUM))) is Owner.LIBRARY


def test_a_thread_of_a_pool_does_what_its_main_thread_does(sampler: Sampler) -> None:
    assert sampler._note(counted(look(POOL), COPY)) is Owner.MOVEMENT
    assert sampler._note(counted(look(POOL, block=2), SUM)) is Owner.LIBRARY


def test_a_product_computes_whatever_the_main_thread_copies(sampler: Sampler) -> None:
    product = look(POOL, function="mkl_blas_avx512_sgemm_kernel_0")
    assert sampler._note(counted(product, COPY)) is Owner.LIBRARY
    assert sampler._note(counted(product)) is Owner.LIBRARY


def test_where_the_main_thread_is_not_known_code_counts_as_it_was_seen(sampler: Sampler) -> None:
    assert sampler._note(counted(look(POOL))) is Owner.NEUTRAL
    sampler._note(counted(look(COPY)))
    assert sampler._note(counted(look(POOL))) is Owner.MOVEMENT
    sampler._note(counted(look(SUM)))
    assert sampler._note(counted(look(POOL))) is Owner.LIBRARY


def test_who_was_stopped_is_known_better(sampler: Sampler) -> None:
    sampler._looks.clocked = False
    assert sampler._note(counted(look(POOL))) is Owner.LIBRARY


def test_generated_code_is_named_by_its_bytes_whoever_seems_to_have_called_it(
    sampler: Sampler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a copy that was jumped to, the stack shows what lay there before."""
    names = {"a copy": "sgemm_kernel", "own": ""}
    index = SimpleNamespace(name=lambda window, at: names[window])
    monkeypatch.setattr("assay.sampling.sampler.code_index", lambda: index)
    for window in ("a copy", "a copy", "own"):
        one = look(COPY)
        one.is_generated, one.code = True, SimpleNamespace(window=window, at=0)
        one.tid = 1
        moment = Moment((counted(one),), (1,), 1.0)
        sampler._looks = cast(Any, SimpleNamespace(clocked=True, taken=lambda _, m=moment: m))
        sampler._round()
    assert sampler.attributed == 3
    sampler._name_copies()
    assert sampler._counts[Owner.LIBRARY] == 2 and sampler._counts[Owner.OWN] == 1
    assert sampler._counts[Owner.MOVEMENT] == 0 and sampler.attributed == 3


@pytest.mark.parametrize(
    "known, whose",
    [(SUM, Owner.LIBRARY), (COPY, Owner.OWN), (None, Owner.OWN)],
    ids=["computes", "moves", "unknown"],
)
def test_generated_code_in_a_pools_thread_is_what_other_samples_of_it_show(
    sampler: Sampler, monkeypatch: pytest.MonkeyPatch, known: frozenset[str] | None, whose: Owner
) -> None:
    """Torch generates kernels: the first samples may be of a thread whose main thread is not met.

    A gelu by oneDNN's generated code was counted as the candidate's own, on a busy machine alone.
    """
    index = SimpleNamespace(name=lambda window, at: "")
    monkeypatch.setattr("assay.sampling.sampler.code_index", lambda: index)
    one = look(POOL)
    one.is_generated, one.code, one.tid = True, SimpleNamespace(window=b"", at=0), 2
    moment = Moment((counted(one),) * 3, (2,) * 3, 3.0)
    sampler._looks = cast(Any, SimpleNamespace(clocked=True, taken=lambda _: moment))
    sampler._round()
    assert sampler._counts[Owner.NEUTRAL] == 3 == sampler.attributed
    if known:
        sampler._note(counted(look(known)))
    before = sampler._counts[whose]
    sampler._name_copies()
    assert sampler._counts[whose] - before == 3
