"""Calls through shared memory: addresses, content, guards, poison and overwritten results."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
import torch

from assay.data.observations.observation import EndCause
from assay.sandbox.host.call_content import Content
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import (
    ALONE,
    AT_END,
    AT_START,
    SPOTS,
    BatchOptions,
    Place,
    PlannedCall,
    Spot,
)
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.protocol.replies import CallCode, OutputFlag, StateMatch
from support.walls import Inside, Room, planned, result

# Returns what it was called with: address and identity of the input object, and its values.
WITNESS = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []
    def forward(self, x):
        self.seen.append(x)
        known = [i for i, t in enumerate(self.seen) if t is x]
        facts = torch.tensor([x.data_ptr(), known[0], x._version], dtype=torch.int64)
        return facts, x.sum().reshape(1), x.clone()
"""
ROOM_FOR_FACTS = (24, 4)


@pytest.fixture
def inside(best_room: Room) -> Iterator[Inside]:
    with best_room.enter() as entered:
        yield entered


WITHIN = [(AT_END, 99), (AT_START, 0), (ALONE, 100), (ALONE, -1)]
BESIDE = [(AT_END, -1), (AT_START, 100), (ALONE, 100), (ALONE, -1)]


def _witnessed(tensor: torch.Tensor, spot: Spot, fresh: bool = False) -> PlannedCall:
    sizes = (*ROOM_FOR_FACTS, tensor.numel() * tensor.element_size())
    return PlannedCall(0, Place(0, spot), Content((tensor,)), sizes, fresh=fresh)


def _facts(inside: Inside, call: PlannedCall) -> tuple[int, int, int, float]:
    outputs = inside.run([call]).calls[0].outputs
    assert outputs[0].tensor is not None and outputs[1].tensor is not None
    address, identity, version = outputs[0].tensor.tolist()
    return address, identity, version, float(outputs[1].tensor[0])


def test_one_place_is_one_object_at_one_address_with_new_content(inside: Inside) -> None:
    inside.construct(WITNESS)
    first = _facts(inside, _witnessed(torch.full((4,), 1.0), AT_START))
    second = _facts(inside, _witnessed(torch.full((4,), 2.0), AT_START))
    assert first[:3] == second[:3]  # address, object and version say nothing
    assert (first[3], second[3]) == (4.0, 8.0)


def test_another_place_is_another_address(inside: Inside) -> None:
    inside.construct(WITNESS)
    found = [_facts(inside, _witnessed(torch.ones(4), spot)) for spot in SPOTS]
    assert len({facts[0] for facts in found}) == 5
    assert [facts[1] for facts in found] == [0, 1, 2, 3, 4]


def test_fresh_is_a_new_object_at_the_same_address(inside: Inside) -> None:
    inside.construct(WITNESS)
    first = _facts(inside, _witnessed(torch.ones(4), SPOTS[2]))
    second = _facts(inside, _witnessed(torch.ones(4), SPOTS[2], fresh=True))
    assert first[0] == second[0] and first[1] != second[1]


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(24.0).view(4, 6).t(),
        torch.arange(24.0).view(4, 6)[:, ::2],
        torch.arange(24.0).view(4, 6)[1:, 2:],
        torch.arange(4.0)[:, None].expand(4, 6),
        torch.arange(24).view(4, 6) > 9,
        torch.arange(24.0).to(torch.bfloat16),
        torch.complex(torch.arange(6.0), -torch.ones(6)),
        torch.tensor(3.5),
        torch.empty(0, 5),
    ],
)
def test_every_layout_and_dtype_arrives_and_returns(inside: Inside, tensor: torch.Tensor) -> None:
    source = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
    source += "        print(x.stride(), flush=True)\n        return x.clone()\n"
    inside.construct(source)
    nbytes = tensor.numel() * tensor.element_size()
    call = PlannedCall(0, Place(0, AT_END), Content((tensor,)), (nbytes,))
    batch = inside.run([call])
    assert torch.equal(result(batch), tensor) and result(batch).dtype is tensor.dtype
    if tensor.numel():
        assert inside.session.process.output() == f"{tensor.stride()}\n"
    assert batch.calls[0].inputs_changed == () and batch.calls[0].bands_broken == ()


READER = """
import ctypes
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        ctypes.c_float.from_address(x.data_ptr() + {offset} * 4).value {action}
        return x + 1
"""


@pytest.mark.parametrize("action", ["", "= 0.0"])
@pytest.mark.parametrize(("spot", "offset"), [(AT_END, 100), (AT_START, -1)])
def test_one_element_beyond_the_edge_is_a_fault(
    inside: Inside, spot: Spot, offset: int, action: str
) -> None:
    inside.construct(READER.format(offset=offset, action=action))
    with pytest.raises(ProcessLost) as caught:
        inside.one(torch.ones(100), spot)
    assert caught.value.cause is EndCause.SIGNALLED
    assert caught.value.code in (signal.SIGSEGV, signal.SIGBUS)


@pytest.mark.parametrize(
    ("spot", "offset"), [(AT_END, 99), (AT_START, 0), (ALONE, 100), (ALONE, -1)]
)
def test_within_the_edge_and_away_from_it_there_is_no_fault(
    inside: Inside, spot: Spot, offset: int
) -> None:
    inside.construct(READER.format(offset=offset, action=""))
    found = inside.one(torch.ones(100), spot)
    assert torch.equal(result(found), torch.full((100,), 2.0))
    assert found.calls[0].guarded == (spot is not ALONE)


@pytest.mark.parametrize(
    ("spot", "offset"), [(AT_END, -1), (AT_START, 100), (ALONE, 100), (ALONE, -1)]
)
def test_a_write_beside_the_input_is_seen(inside: Inside, spot: Spot, offset: int) -> None:
    inside.construct(READER.format(offset=offset, action="= 0.0"))
    call = inside.one(torch.ones(100), spot).calls[0]
    assert call.bands_broken == ("input 0",) and call.inputs_changed == ()


def test_a_write_into_the_input_is_seen(inside: Inside) -> None:
    inside.construct(READER.format(offset=5, action="= 7.0"))
    call = inside.one(torch.ones(100)).calls[0]
    assert call.inputs_changed == ("input 0",) and call.bands_broken == ()


# glibc hands small pieces out of its thread cache as they are; what comes from the heap is filled.
@pytest.mark.parametrize("elements", [2048, 100_000])
def test_fresh_memory_is_poisoned(inside: Inside, elements: int) -> None:
    source = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
    inside.construct(source + "        return torch.empty(x.shape)\n")
    for _ in range(2):  # the first batch of a process like any other
        found = result(inside.one(torch.ones(elements)))
        assert float((found.view(torch.uint8) == 0xFE).float().mean()) > 0.9


SHARED_BUFFER = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.zeros(4)
    def forward(self, x):
        return torch.add(x, 1, out=self.out)
"""


@pytest.mark.parametrize("copy_each", [False, True])
def test_a_shared_result_is_seen(inside: Inside, copy_each: bool) -> None:
    """Copied at the end the bytes show it; copied after each call the memory's place does."""
    inside.construct(SHARED_BUFFER)
    calls = [planned(torch.full((4,), float(n)), SPOTS[2 + n]) for n in range(3)]
    batch = inside.run(calls, BatchOptions(copy_each=copy_each))
    values = [float(result(batch, n)[0]) for n in range(3)]
    assert values == ([1.0, 2.0, 3.0] if copy_each else [3.0, 3.0, 3.0])
    headers = [call.outputs[0].header for call in batch.calls]
    assert all(h is not None and OutputFlag.SHARED in h.flags for h in headers)


def test_fresh_results_are_not_called_shared(inside: Inside) -> None:
    inside.construct(SHARED_BUFFER.replace(", out=self.out", ""))
    calls = [planned(torch.full((4,), float(n)), SPOTS[2 + n]) for n in range(3)]
    batch = inside.run(calls, BatchOptions(copy_each=False))
    assert [float(result(batch, n)[0]) for n in range(3)] == [1.0, 2.0, 3.0]
    headers = [call.outputs[0].header for call in batch.calls]
    assert all(h is not None and OutputFlag.SHARED not in h.flags for h in headers)


LATE = """
import threading, time
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        out = torch.zeros_like(x)
        def work():
            time.sleep(0.03)
            out.copy_(x + 1)
        threading.Thread(target=work).start()
        return out
"""


def test_later_bytes_never_arrive_but_are_found_on_a_second_look(inside: Inside) -> None:
    inside.construct(LATE)
    x = torch.arange(4.0)
    assert float(result(inside.one(x)).abs().sum()) == 0.0
    again = inside.session.look_again(BatchOptions(), Deadline.after(5))
    assert again[0].outputs[0].tensor is not None
    assert torch.equal(again[0].outputs[0].tensor, x + 1)


FORMS = {
    "'text'": (OutputFlag(0), OutputFlag.TENSOR),
    "torch.nn.Parameter(x + 1)": (OutputFlag.TENSOR, OutputFlag.EXACT_TYPE),
    "setattr(y := x + 1, 'extra', 1) or y": (OutputFlag.EXACT_TYPE, OutputFlag.BARE),
    "torch.ones(1000)": (OutputFlag.EXACT_TYPE, OutputFlag.FITS),
    "x.to('meta')": (OutputFlag.TENSOR, OutputFlag.ON_DEVICE),
}


@pytest.mark.parametrize("expression", FORMS)
def test_the_form_of_a_result_is_described(inside: Inside, expression: str) -> None:
    source = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
    inside.construct(source + f"        return {expression}\n")
    output = inside.one(torch.ones(4)).calls[0].outputs[0]
    present, absent = FORMS[expression]
    assert output.header is not None
    assert present in output.header.flags and absent not in output.header.flags


def test_structures_are_flattened_in_order(inside: Inside) -> None:
    source = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
    inside.construct(source + "        return {'a': x + 1, 'b': [x + 2, (None, 7.0)]}\n")
    call = PlannedCall(0, Place(0, ALONE), Content((torch.zeros(2),)), (8, 8, 4))
    found = inside.run([call]).calls[0]
    assert found.record is not None and found.record.outputs == 3
    values = [output.tensor.flatten()[0] for output in found.outputs if output.tensor is not None]
    assert [float(value) for value in values] == [1.0, 2.0, 7.0]


LINEAR = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.{name} = torch.nn.Parameter(torch.zeros({shape}))
        self.versions = []
    def forward(self, x):
        self.versions.append(self.{name}._version)
        return x * self.{name} + (self.versions[-1] > self.versions[0])
"""


@pytest.mark.parametrize(
    ("name", "shape", "match"),
    [
        ("scale", "(4,)", StateMatch.NAMES),
        ("other", "(4,)", StateMatch.ORDER),
        ("scale", "(2, 2)", StateMatch.NONE),
    ],
)
def test_weights_are_loaded_in_place(
    inside: Inside, name: str, shape: str, match: StateMatch
) -> None:
    inside.construct(LINEAR.format(name=name, shape=shape))
    deadline = Deadline.after(5)
    x = torch.ones(4)
    weights = {"scale": torch.arange(4.0)}
    assert inside.session.load_state(0, weights, deadline) is match
    if match is StateMatch.NONE:
        return
    assert torch.equal(result(inside.one(x)), torch.arange(4.0))
    inside.session.load_state(0, {"scale": torch.arange(4.0) * 2}, deadline)
    assert torch.equal(result(inside.one(x)), torch.arange(4.0) * 2 + 1)  # its version moved


def test_a_raise_leaves_its_words_and_the_session_goes_on(inside: Inside) -> None:
    source = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
    source += (
        "        if x[0] < 0:\n            raise ValueError('negative')\n        return x * 2\n"
    )
    inside.construct(source)
    found = inside.one(torch.tensor([-1.0])).calls[0]
    assert found.record is not None and found.record.code == CallCode.RAISED
    assert "ValueError: negative" in found.record.message
    assert found.outputs[0].header is None
    assert result(inside.one(torch.tensor([4.0]))).tolist() == [8.0]


def test_operations_are_logged_where_asked(inside: Inside) -> None:
    source = "import torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
    inside.construct(source + "        return torch.softmax(x, 0)\n")
    batch = inside.run([planned(torch.ones(50))], BatchOptions(log_operations=True))
    assert "aten._softmax.default\t1\t50" in batch.statement.splitlines()
    assert inside.one(torch.ones(50)).statement == ""


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("import time; time.perf_counter = lambda: 0.0", "time.perf_counter"),
        ("import torch; torch.sum = torch.mean", "torch.sum"),
        ("import torch; torch.Tensor.sum = torch.Tensor.mean", "torch.Tensor.sum"),
        ("import os; os.environ['NEW'] = '1'", "env.NEW"),
        ("import signal; signal.signal(signal.SIGUSR1, lambda *a: None)", "signal.10"),
        ("import sys; sys.setprofile(lambda *a: None)", "sys.setprofile"),
    ],
)
def test_changed_state_is_told(inside: Inside, change: str, name: str) -> None:
    inside.load(f"{change}\nclass ModelNew: pass")
    lines = inside.session.survey(Deadline.after(5))
    assert name in [line.partition("\t")[0] for line in lines]


def test_untouched_state_is_silent(inside: Inside) -> None:
    inside.load("import torch\nclass ModelNew: pass")
    assert inside.session.survey(Deadline.after(5)) == []


def test_outside_time_covers_the_work(inside: Inside) -> None:
    source = "import time, torch\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n"
    inside.construct(source + "        time.sleep(0.05)\n        return x * 2\n")
    found = inside.one(torch.ones(4))
    record = found.calls[0].record
    assert record is not None
    assert 50e6 <= record.inside_ns <= found.outside_ns


# Returns the memory it is handed where that looks like the answer at its first element.
RECYCLES = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        return y if float(y[9]) == float(x[9]) else y.copy_(x)
"""


def test_bait_is_taken_by_whoever_returns_memory_that_it_finds(inside: Inside) -> None:
    inside.construct(RECYCLES)
    x = torch.arange(1.0, 4097.0)
    options = BatchOptions(poison=False, planted_seed=7)
    call = planned(x)
    found = inside.run([call] * 16, options)
    assert any(not torch.equal(result(found, number), x) for number in range(1, 16))


def test_bait_is_never_met_by_whoever_writes_what_it_returns(inside: Inside) -> None:
    inside.construct(RECYCLES.replace("y if float(y[9]) == float(x[9]) else ", ""))
    x = torch.arange(1.0, 4097.0)
    found = inside.run([planned(x)] * 4, BatchOptions(poison=False, planted_seed=7))
    assert all(torch.equal(result(found, number), x) for number in range(4))


BREAKS_ITS_RUNNER = """
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        def full(*_):
            raise {error}
        torch.Tensor.copy_ = full
        return x + 1
"""


@pytest.mark.parametrize(
    "error, code",
    [
        ("RuntimeError('the device reports a fault of before')", CallCode.BROKE),
        ("MemoryError()", CallCode.OUT_OF_MEMORY),
    ],
)
def test_a_runner_that_fails_around_a_call_says_so_in_place_of_its_record(
    inside: Inside, error: str, code: CallCode
) -> None:
    """Without it, the call counted as work that was not done: an honest kernel was `dishonest`."""
    inside.construct(BREAKS_ITS_RUNNER.format(error=error))
    (call,) = inside.one(torch.ones(4)).calls
    assert call.record is not None and call.record.code == code
    assert call.record.message.startswith("around the call: ")
    assert error.partition("(")[0] in call.record.message
