"""CompletionGenerator: candidates from a language model behind an HTTP endpoint.

    request -> prompt -> chat (paid once) -> code -> candidate

The rule: the model is told public facts only, and its answer is a candidate like any other. The
same request is the same question, so that a search that goes on pays nothing twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from assay.data.candidate import Candidate, Provenance
from assay.data.generation.budget import Spend
from assay.data.generation.search_event import LlmCall, Move
from assay.data.generator import Generator
from assay.errors import UsageError
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate
from assay.generators.completion.chat import ChatRequest, Usage
from assay.generators.completion.code_extraction import extract
from assay.generators.completion.completion_options import CompletionOptions, read_options
from assay.generators.completion.paid_chat import ChatTerms, PaidChat
from assay.generators.completion.prompt import Prompt
from assay.generators.completion.waiting import ClientClock

_USUAL_TOKENS_OUT = 4096  # expected of an answer as long as no other was seen
_MOST_WORDS = 4000  # of a rationale


class CompletionGenerator(CandidateGenerator):
    """Any endpoint that speaks OpenAI's or Anthropic's API."""

    name = "completion"

    def __init__(
        self, options: CompletionOptions | None = None, clock: ClientClock | None = None
    ) -> None:
        self._options, self._clock = options, clock or ClientClock()
        self._chat = PaidChat(options, self._clock) if options else None
        self._prompt = Prompt(options.prompt) if options else None

    def configured(self, options: Mapping[str, str]) -> Self:
        """With the options of `completion_options`; `model`, or a `config`, is needed."""
        if not options:
            raise UsageError("generator 'completion' needs --option model=NAME or config=NAME")
        return type(self)(read_options(options), self._clock)

    def expected(self, request: GenerationRequest) -> Spend:
        """As much as its earlier asks of the task took on average; else an estimate."""
        options, asked = self._set_up(), self.chat_request(request)
        assert self._chat is not None
        if self._chat.is_free(asked, request.paid):
            return Spend()
        seen = [one.spent for one in request.history if one.spent.tokens]
        if seen:
            mean = sum(one.tokens for one in seen) / len(seen)
            dollars = sum(one.dollars for one in seen) / len(seen)
            return Spend(tokens=round(mean), dollars=dollars)
        written = min(options.max_tokens, _USUAL_TOKENS_OUT)
        usage = Usage(tokens_in=asked.estimated_tokens(), tokens_out=written)
        price = options.price.dollars(usage) if options.price else None
        return Spend(tokens=asked.estimated_tokens() + written, dollars=price or 0.0)

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """One call of the model, and the code in its answer."""
        self._set_up()
        assert self._chat is not None
        terms = ChatTerms(request.paid, tell, request.left)
        call = self._chat.ask(self.chat_request(request), terms)
        if call.error:
            return NoCandidate(f"the model did not answer: {call.error}")
        parent = request.parents[0].source if request.parents else ""
        cut_off = call.finish == "length"
        found = extract(call.text, cut_off, parent if request.move is not Move.DRAFT else "")
        if isinstance(found, NoCandidate):
            limit = "; it reached max_tokens" if cut_off else ""
            return NoCandidate(found.reason + limit)
        candidate = self._with_provenance(found.candidate, request, call)
        return Proposal(candidate, rationale=found.words[:_MOST_WORDS])

    def chat_request(self, request: GenerationRequest) -> ChatRequest:
        """What the model is asked."""
        options = self._set_up()
        assert self._prompt is not None
        told = replace(request, languages=request.languages or options.languages)
        return ChatRequest(
            model=options.model,
            messages=self._prompt.messages(told),
            params=_params(options, request.seed),
            sample=request.sample,
        )

    def _set_up(self) -> CompletionOptions:
        if self._options is None:
            raise UsageError("generator 'completion' needs --option model=NAME or config=NAME")
        return self._options

    def _with_provenance(
        self, candidate: Candidate, request: GenerationRequest, call: LlmCall
    ) -> Candidate:
        options = self._set_up()
        made_by = Generator(
            name=self.name, version=options.prompt, model=call.answered_by or options.model
        )
        provenance = Provenance(
            generator=made_by,
            parents=tuple(one.candidate for one in request.parents if one.candidate),
            sample=request.sample,
            tokens_in=call.tokens_in,
            tokens_out=call.tokens_out,
            tokens_cached=call.tokens_cached,
            cost_usd=call.dollars,
            seconds=call.seconds,
        )
        name = f"{request.task.id}/{self.name}-{request.sample}"
        return candidate.model_copy(update={"name": name, "provenance": provenance})


def _params(options: CompletionOptions, seed: int) -> dict[str, Any]:
    named = {
        "max_tokens": options.max_tokens,
        "temperature": options.temperature,
        "top_p": options.top_p,
        "reasoning_effort": options.reasoning_effort,
        "seed": seed if options.seed else None,
    }
    return {name: value for name, value in named.items() if value is not None} | options.extra
