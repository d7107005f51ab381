"""A model behind a real HTTP server: what it answers becomes a candidate, or a reason."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import LlmCall, Move, ToolUse
from assay.errors import UsageError
from assay.generators.candidate_generator import ContextPart, GenerationRequest, Proposal
from assay.generators.candidate_source import NoCandidate
from assay.generators.completion.completion_generator import CompletionGenerator
from assay.generators.completion.waiting import ClientClock
from assay.tasks.catalog import resolve
from generators.scripted_endpoint import (
    Malformed,
    Refused,
    Said,
    Script,
    ScriptedEndpoint,
    example,
    fenced,
)

KERNEL = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    pass\n"
GOOD = Said(fenced(KERNEL))


@dataclass
class Slept:
    """A clock that does not sleep."""

    pauses: list[float] = field(default_factory=list)

    @property
    def clock(self) -> ClientClock:
        return ClientClock(sleep=self.pauses.append, random=lambda: 0.0)


@dataclass
class Asking:
    """A generator at a scripted endpoint, and everything that it tells."""

    endpoint: ScriptedEndpoint
    options: dict[str, str] = field(default_factory=dict)
    slept: Slept = field(default_factory=Slept)
    told: list[LlmCall] = field(default_factory=list)

    def generator(self) -> CompletionGenerator:
        usual = {"model": "scripted", "base_url": self.endpoint.openai_url, "api_key_env": ""}
        return CompletionGenerator(clock=self.slept.clock).configured(usual | self.options)

    def propose(self, request: GenerationRequest | None = None) -> Proposal | NoCandidate:
        return self.generator().propose(request or asked(), self.tell)

    def tell(self, event: LlmCall | ToolUse) -> None:
        assert isinstance(event, LlmCall)
        self.told.append(event)


def asked(**changes: object) -> GenerationRequest:
    return replace(GenerationRequest(resolve("softmax"), "cpu"), **changes)  # type: ignore[arg-type]


def anthropic(endpoint: ScriptedEndpoint) -> dict[str, str]:
    return {"api": "anthropic", "base_url": endpoint.base_url}


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", ["true", "false"])
def test_an_answer_becomes_a_candidate_with_its_cost(api: str, stream: str) -> None:
    usage = {"in": 1000, "out": 200, "cached": 400, "thinking": 50}
    with ScriptedEndpoint([Said(fenced(KERNEL), usage=usage)]) as endpoint:
        prices = {"price_in": "3", "price_out": "15", "price_cached": "0.3", "stream": stream}
        asking = Asking(endpoint, prices | (anthropic(endpoint) if api == "anthropic" else {}))
        found = asking.propose(asked(sample=7))
    assert isinstance(found, Proposal)
    assert found.candidate.main.text == KERNEL
    assert found.rationale == "Here is the kernel.\n\n\nIt should be fast."
    (call,) = asking.told
    assert (call.tokens_in, call.tokens_out, call.tokens_cached) == (1000, 200, 400)
    assert call.tokens_thinking == (50 if api == "openai" else None)
    assert call.dollars == pytest.approx((600 * 3 + 400 * 0.3 + 200 * 15) / 1e6)
    assert (call.estimated, call.finish, call.answered_by) == (False, "stop", "scripted-2026")
    made = found.candidate.provenance
    assert made.generator is not None and made.generator.model == "scripted-2026"
    assert (made.sample, made.tokens_in, made.cost_usd) == (7, 1000, call.dollars)


def test_what_is_sent_names_the_model_and_asks_for_usage() -> None:
    with ScriptedEndpoint([GOOD]) as endpoint:
        Asking(endpoint, {"temperature": "0.5", "extra": '{"top_k": 20}'}).propose()
        Asking(endpoint, anthropic(endpoint) | {"max_tokens": "99"}).propose()
    ours, theirs = endpoint.asked
    assert ours.path == "/v1/chat/completions" and theirs.path == "/v1/messages"
    assert ours.body["stream_options"] == {"include_usage": True}
    assert (ours.body["temperature"], ours.body["top_k"]) == (0.5, 20)
    assert theirs.body["max_tokens"] == 99
    assert [one["role"] for one in theirs.body["messages"]] == ["user"]
    assert "ModelNew" in theirs.body["system"]


def test_the_key_goes_into_a_header_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SCRIPTED_KEY", "sk-very-secret")
    said = Said(fenced(KERNEL) + "your key is sk-very-secret")
    cassette = tmp_path / "calls.jsonl"
    with ScriptedEndpoint([said]) as endpoint:
        options = {"api_key_env": "SCRIPTED_KEY", "cassette": str(cassette)}
        asking = Asking(endpoint, options)
        asking.propose()
        Asking(endpoint, anthropic(endpoint) | {"api_key_env": "SCRIPTED_KEY"}).propose()
    assert endpoint.asked[0].headers["authorization"] == "Bearer sk-very-secret"
    assert endpoint.asked[1].headers["x-api-key"] == "sk-very-secret"
    assert "sk-very-secret" not in cassette.read_text() + str(asking.told)


def test_a_key_that_is_missing_or_wrong_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCRIPTED_KEY", raising=False)
    body = '{"error": {"message": "bad key sk-very-secret"}}'
    with ScriptedEndpoint([Refused(401, body=body)]) as endpoint:
        asking = Asking(endpoint, {"api_key_env": "SCRIPTED_KEY"})
        with pytest.raises(UsageError, match=r"SCRIPTED_KEY .* is not set"):
            asking.propose()
        monkeypatch.setenv("SCRIPTED_KEY", "sk-very-secret")
        with pytest.raises(UsageError, match="refuses the key: HTTP 401: bad key") as raised:
            asking.propose()
    assert "sk-very-secret" not in str(raised.value)
    assert len(endpoint.asked) == 1 and asking.slept.pauses == []


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
def test_what_may_pass_is_tried_again(status: int) -> None:
    with ScriptedEndpoint([Refused(status), Refused(status), GOOD]) as endpoint:
        asking = Asking(endpoint)
        assert isinstance(asking.propose(), Proposal)
    assert asking.slept.pauses == [1.0, 2.0]
    assert [one.retries for one in asking.told] == [2]


def test_retry_after_is_honoured() -> None:
    steps = [Refused(429, {"Retry-After": "7"}), Refused(503, {"retry-after-ms": "1500"}), GOOD]
    with ScriptedEndpoint(steps) as endpoint:
        asking = Asking(endpoint)
        asking.propose()
    assert asking.slept.pauses == [7.0, 1.5]


def test_an_endpoint_that_asks_for_an_hour_is_given_up() -> None:
    with ScriptedEndpoint([Refused(429, {"Retry-After": "3600"})]) as endpoint:
        asking = Asking(endpoint)
        found = asking.propose()
    assert isinstance(found, NoCandidate) and "asks to wait 3600 s" in found.reason
    assert len(endpoint.asked) == 1


def test_tries_have_an_end_and_the_failure_is_told() -> None:
    with ScriptedEndpoint([Refused(500)]) as endpoint:
        asking = Asking(endpoint, {"max_tries": "3"})
        found = asking.propose()
    assert isinstance(found, NoCandidate) and "HTTP 500: scripted refusal" in found.reason
    assert len(endpoint.asked) == 3
    assert [(one.error, one.retries) for one in asking.told] == [("HTTP 500: scripted refusal", 2)]


def test_a_refused_request_is_not_tried_again() -> None:
    with ScriptedEndpoint([Refused(400)]) as endpoint:
        found = Asking(endpoint).propose()
    assert isinstance(found, NoCandidate) and "HTTP 400" in found.reason
    assert len(endpoint.asked) == 1


@pytest.mark.parametrize("api", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", ["true", "false"])
def test_an_answer_that_is_cut_off_is_asked_again_and_its_tokens_are_told(
    api: str, stream: str
) -> None:
    with ScriptedEndpoint([Said(fenced(KERNEL), cut_after=60), GOOD]) as endpoint:
        options = {"stream": stream, "price_in": "1", "price_out": "1"}
        asking = Asking(endpoint, options | (anthropic(endpoint) if api == "anthropic" else {}))
        assert isinstance(asking.propose(), Proposal)
    cut, whole = asking.told
    assert cut.error and cut.estimated and cut.tokens_in and cut.dollars
    assert cut.key == whole.key and not whole.error and whole.retries == 1


def test_an_answer_that_is_closed_without_a_reason_is_whole() -> None:
    with ScriptedEndpoint([Said(fenced(KERNEL), finish="")]) as endpoint:
        asking = Asking(endpoint)
        assert isinstance(asking.propose(), Proposal)
    assert len(endpoint.asked) == 1 and asking.told[0].finish == ""


def test_a_malformed_answer_is_asked_again() -> None:
    steps = [Malformed(), Malformed("<html>busy</html>"), GOOD]
    with ScriptedEndpoint(steps) as endpoint:
        assert isinstance(Asking(endpoint).propose(), Proposal)
    assert len(endpoint.asked) == 3


def test_a_slow_answer_ends_at_its_time() -> None:
    with ScriptedEndpoint([Said(fenced(KERNEL), held=True)]) as endpoint:
        asking = Asking(endpoint, {"timeout_s": "0.2", "max_tries": "1"})
        found = asking.propose()
    assert isinstance(found, NoCandidate) and "no answer within 0.2 s" in found.reason


def test_no_time_of_the_budget_is_spent_on_waiting() -> None:
    with ScriptedEndpoint([Refused(429, {"Retry-After": "60"})]) as endpoint:
        asking = Asking(endpoint)
        found = asking.propose(asked(left=Budget(seconds=5.0)))
    assert isinstance(found, NoCandidate) and "no time is left" in found.reason
    assert asking.slept.pauses == []


def test_nobody_at_the_address_is_a_reason() -> None:
    with ScriptedEndpoint([GOOD]) as endpoint:
        pass
    found = Asking(endpoint, {"max_tries": "2"}).propose()
    assert isinstance(found, NoCandidate) and "no connection" in found.reason


def test_tokens_that_the_answer_does_not_count_are_estimated() -> None:
    with ScriptedEndpoint([Said(fenced(KERNEL), usage=None)]) as endpoint:
        asking = Asking(endpoint)
        asking.propose()
    (call,) = asking.told
    assert call.estimated and call.tokens_out == -(-len(fenced(KERNEL)) // 4)
    assert call.dollars is None, "no price is known of this model"


def test_the_limit_of_tokens_is_recorded() -> None:
    cut = fenced(KERNEL)[:60]
    with ScriptedEndpoint([Said(cut, finish="length")]) as endpoint:
        asking = Asking(endpoint)
        found = asking.propose()
    assert isinstance(found, NoCandidate)
    assert "cut off" in found.reason and "max_tokens" in found.reason
    assert asking.told[0].finish == "length"


def test_what_was_paid_is_not_asked_again() -> None:
    with ScriptedEndpoint([GOOD]) as endpoint:
        first = Asking(endpoint)
        one = first.propose(asked(sample=3))
        paid = {call.key: call for call in first.told}
        again = Asking(endpoint)
        two = again.propose(asked(sample=3, paid=paid))
        assert again.generator().expected(asked(sample=3, paid=paid)).tokens == 0
        again.propose(asked(sample=4, paid=paid))
    assert len(endpoint.asked) == 2, "another sample is another call"
    assert one == two and len(again.told) == 1


def test_a_failure_that_was_told_is_asked_again() -> None:
    with ScriptedEndpoint([Refused(400), GOOD]) as endpoint:
        asking = Asking(endpoint)
        asking.propose()
        found = asking.propose(asked(paid={asking.told[0].key: asking.told[0]}))
    assert isinstance(found, Proposal)


def test_what_a_call_will_cost_is_estimated_before(tmp_path: Path) -> None:
    prices = {"price_in": "1", "price_out": "2"}
    before = Attempt(
        number=1, task="softmax", candidate="c", spent=Spend(tokens=900, dollars=0.5, seconds=3.0)
    )
    with ScriptedEndpoint([GOOD]) as endpoint:
        generator = Asking(endpoint, prices).generator()
        first = generator.expected(asked())
        later = generator.expected(asked(history=(before, before)))
        assert endpoint.asked == []
        asking = Asking(endpoint, prices | {"cassette": str(tmp_path / "calls.jsonl")})
        assert asking.generator().expected(asked()) == first
        asking.propose()
        assert asking.generator().expected(asked()) == Spend(), "it is on the cassette"
    assert first.dollars == pytest.approx((first.tokens + 4096) / 1e6)
    assert later == Spend(tokens=900, dollars=0.5)


def test_a_cassette_replays_bit_for_bit_without_a_network(tmp_path: Path) -> None:
    cassette = {"cassette": str(tmp_path / "calls.jsonl")}
    texts = [fenced(KERNEL + f"# {number}\n") for number in range(3)]
    with ScriptedEndpoint([Said(text) for text in texts]) as endpoint:
        recorded = Asking(endpoint, cassette | {"mode": "record"})
        made = [recorded.propose(asked(sample=n)) for n in range(3)]
    replayed = Asking(endpoint, cassette | {"mode": "replay"})
    assert [replayed.propose(asked(sample=n)) for n in range(3)] == made
    marked = [one.model_copy(update={"replayed": True}) for one in recorded.told]
    assert replayed.told == marked
    with pytest.raises(UsageError, match="holds no answer"):
        replayed.propose(asked(sample=3))


def test_a_cache_asks_for_what_it_lacks_only(tmp_path: Path) -> None:
    with ScriptedEndpoint([GOOD]) as endpoint:
        asking = Asking(endpoint, {"cassette": str(tmp_path / "calls.jsonl")})
        for sample in (0, 0, 1, 0):
            asking.propose(asked(sample=sample))
    assert len(endpoint.asked) == 2
    assert [one.replayed for one in asking.told] == [False, True, False, True]


def test_requests_are_spaced() -> None:
    pauses: list[float] = []
    clock = ClientClock(now=lambda: 100.0, sleep=pauses.append)
    with ScriptedEndpoint([GOOD]) as endpoint:
        options = {"model": "m", "base_url": endpoint.openai_url, "requests_per_minute": "30"}
        generator = CompletionGenerator(clock=clock).configured(options)
        for sample in range(3):
            generator.propose(asked(sample=sample), lambda _: None)
    assert pauses == [2.0, 4.0]


def test_a_parent_and_its_verdict_are_in_the_prompt() -> None:
    parent = Attempt(
        number=1,
        task="softmax",
        candidate="c1",
        source=KERNEL,
        status="incorrect",
        feedback="rows of odd length are wrong",
    )
    request = asked(
        move=Move.REPAIR,
        parents=(parent,),
        context=(ContextPart("profile", "memory bound"),),
        note="mend the tail",
    )
    with ScriptedEndpoint([GOOD]) as endpoint:
        found = Asking(endpoint).propose(request)
    prompt = endpoint.asked[0].prompt
    for part in (KERNEL.strip(), "rows of odd length", "memory bound", "mend the tail"):
        assert part in prompt
    assert isinstance(found, Proposal)
    assert found.candidate.provenance.parents == ("c1",)


def test_an_optimisation_may_be_an_edit_of_the_parent() -> None:
    edit = "<<<<<<< SEARCH\n    pass\n=======\n    fast = True\n>>>>>>> REPLACE\n"
    parent = Attempt(number=1, task="softmax", candidate="c1", source=KERNEL, status="accepted")
    with ScriptedEndpoint([Said(f"Better:\n\n{edit}")]) as endpoint:
        found = Asking(endpoint).propose(asked(move=Move.OPTIMISE, parents=(parent,)))
    assert isinstance(found, Proposal)
    assert found.candidate.main.text == KERNEL.replace("pass", "fast = True")


@pytest.mark.parametrize("label", ["honest", "wrong"])
def test_examples_come_back_as_they_are(label: str) -> None:
    with ScriptedEndpoint([Said(example("row_sum", label))]) as endpoint:
        found = Asking(endpoint).propose(asked(task=resolve("row_sum")))
    assert isinstance(found, Proposal) and found.candidate.language == "cpp_source"


def test_it_is_configured_or_says_so() -> None:
    script: Script = [GOOD]
    with pytest.raises(UsageError, match="needs --option model"):
        CompletionGenerator().configured({})
    with ScriptedEndpoint(script), pytest.raises(UsageError, match="needs --option model"):
        CompletionGenerator().propose(asked(), lambda _: None)
