"""What of a call's result is handed over, and in which surroundings a call is made."""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from assay.sandbox.child import batch
from assay.sandbox.child.batch import call_elsewhere, call_once, call_passing, flatten
from assay.sandbox.protocol.replies import CallCode
from assay.sandbox.protocol.surroundings import Surroundings


def test_a_python_number_is_handed_over_as_a_tensor() -> None:
    assert [leaf.item() for leaf in flatten((1.5, [True, None, 3]))] == [1.5, True, 3]


def _surroundings(*_: Any) -> tuple[bool, bool]:
    main = threading.current_thread() is threading.main_thread()
    return torch.is_grad_enabled(), not main


@pytest.mark.parametrize("recording", [True, False])
@pytest.mark.parametrize("thread", [True, False])
def test_a_call_is_made_in_the_surroundings_asked_for(
    monkeypatch: pytest.MonkeyPatch, recording: bool, thread: bool
) -> None:
    monkeypatch.delitem(sys.modules, "torch._dynamo.convert_frame", raising=False)
    answer = call_elsewhere(_surroundings, [], Surroundings(recording, thread))
    assert answer.code is CallCode.RETURNED and answer.value == [recording, thread]


def test_inputs_require_gradients_as_in_training_and_share_their_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "torch._dynamo", raising=False)
    given = [torch.ones(3), torch.arange(3), 2.0]

    def told(first: Any, again: Any, whole: Any, number: Any) -> tuple[Any, ...]:
        first.detach()[0] = 7.0
        wanted = (first.requires_grad, whole.requires_grad, torch.is_grad_enabled())
        return (*wanted, first is again, number)

    inputs = [given[0], given[0], *given[1:]]
    answer = call_elsewhere(told, inputs, Surroundings(trained=True))
    assert answer.code is CallCode.RETURNED and answer.value == [True, False, True, True, 2.0]
    assert given[0][0] == 7.0 and not given[0].requires_grad
    usual = call_elsewhere(told, inputs, Surroundings())
    assert usual.value == [False, False, False, True, 2.0]


def test_an_error_of_another_thread_is_an_answer() -> None:
    def refuse() -> None:
        raise ValueError("not here")

    answer = call_elsewhere(refuse, [], Surroundings(other_thread=True))
    assert answer.code is not CallCode.RETURNED and "not here" in answer.message


class _Told(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner, self.frozen = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2).eval()
        self.frozen.requires_grad_(False)

    def forward(self) -> tuple[bool, ...]:
        weight = self.inner.weight.requires_grad
        return self.training, self.frozen.training, weight


@pytest.mark.parametrize(
    ("around", "told"),
    [
        (Surroundings(), (True, False, True)),
        (Surroundings(other_mode=True), (False, True, True)),
        (Surroundings(frozen=True), (True, False, False)),
    ],
)
def test_a_module_is_in_the_state_asked_for_and_as_it_was_afterwards(
    monkeypatch: pytest.MonkeyPatch, around: Surroundings, told: tuple[bool, ...]
) -> None:
    monkeypatch.delitem(sys.modules, "torch._dynamo.convert_frame", raising=False)
    module = _Told()
    assert call_elsewhere(module, [], around).value == list(told)
    assert module.forward() == (True, False, True)
    assert not module.frozen.weight.requires_grad


def test_one_thread_is_what_the_library_has_while_it_is_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delitem(sys.modules, "torch._dynamo.convert_frame", raising=False)
    before = torch.get_num_threads()
    answer = call_elsewhere(torch.get_num_threads, [], Surroundings(one_thread=True))
    assert answer.value == [1] and torch.get_num_threads() == before


def test_of_compiled_graphs_each_kind_of_surroundings_is_asked_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frames = SimpleNamespace(FRAME_COUNTER=0)
    monkeypatch.setitem(sys.modules, "torch._dynamo.convert_frame", frames)
    monkeypatch.setattr(batch, "_asked_of_graphs", set())
    around = Surroundings(recording=True)

    def recorded() -> list[Any]:
        return [call_elsewhere(torch.is_grad_enabled, [], around).value[0] for _ in range(3)]

    assert recorded() == [True, True, True]  # imported, and nothing was compiled
    frames.FRAME_COUNTER = 1
    assert recorded() == [True, False, False]


def test_who_raises_in_other_surroundings_finds_its_inputs_as_they_were() -> None:
    def half_done(value: torch.Tensor) -> None:
        value.add_(1.0)
        raise ValueError("not here")

    given = torch.tensor([1.0, float("nan")])
    call_elsewhere(half_done, [given], Surroundings(recording=True))
    assert given[0] == 1.0 and given[1].isnan()


class _Owner(torch.nn.Module):
    alive = 0

    def __init__(self) -> None:
        super().__init__()
        _Owner.alive += 1
        self.itself = self  # a cycle: only a collection ends it
        weakref.finalize(self, _Owner._gone)

    @staticmethod
    def _gone() -> None:
        _Owner.alive -= 1

    def forward(self) -> int:
        return _Owner.alive


def test_an_instance_is_gone_before_its_result_is_read() -> None:
    answer = call_passing(_Owner, [])
    assert answer.value == [1] and _Owner.alive == 0


def test_a_container_is_read_once_and_within_the_call() -> None:
    class Results(list[torch.Tensor]):
        times = 0

        def __iter__(self) -> Iterator[torch.Tensor]:
            self.times += 1
            time.sleep(0.002)
            return iter([torch.full((1,), float(self.times))])

    answer = call_once(lambda: Results(), [], None)
    assert answer.inside_ns > 1_500_000
    assert [float(leaf) for _ in range(2) for leaf in flatten(answer.value)] == [1.0, 1.0]
