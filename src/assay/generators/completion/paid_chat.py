"""PaidChat: one chat with a model, paid at most once.

    answers that the search has paid -> cassette -> network

The rule: a call is told the moment it is known, before anything else is done with it. What failed
but may be billed (an answer that was cut off) is told too, with estimated tokens.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import LlmCall
from assay.errors import UsageError
from assay.generators.candidate_generator import Tell
from assay.generators.completion.cassette import Cassette, CassetteMode
from assay.generators.completion.chat import ChatAnswer, ChatRequest, Usage, estimated_tokens
from assay.generators.completion.completion_options import CompletionOptions
from assay.generators.completion.http_client import Attempted, Endpoint, FailedTry, HttpClient
from assay.generators.completion.known_apis import chat_api
from assay.generators.completion.quirks import sent_params
from assay.generators.completion.waiting import ClientClock, RateLimit, RetryPolicy

_HIDDEN = "[key]"  # what stands where an answer repeats the user's key


@dataclass(frozen=True)
class ChatTerms:
    """On which terms one chat is held."""

    paid: Mapping[str, LlmCall]
    tell: Tell
    left: Budget = field(default_factory=Budget)  # what all tries together may cost


class PaidChat:
    """Asks the model of some options."""

    def __init__(self, options: CompletionOptions, clock: ClientClock) -> None:
        self._options, self._clock = options, clock
        self._api = chat_api(options.api)
        self._mode = options.used_mode
        self._cassette = Cassette(Path(options.cassette)) if options.cassette else None
        retries = RetryPolicy(max_tries=options.max_tries)
        endpoint = Endpoint(self._api, options.url, options.stream, options.timeout_s, retries)
        limit = RateLimit(options.requests_per_minute, clock)
        self._client = HttpClient(endpoint, limit, clock)

    def ask(self, request: ChatRequest, terms: ChatTerms) -> LlmCall:
        """The call, with its answer or its error."""
        known = terms.paid.get(request.key)
        if known is not None and not known.error:
            return known  # it was told when it was paid
        if (found := self._recorded(request)) is not None:
            terms.tell(found)
            return found
        if self._mode is CassetteMode.REPLAY:
            raise UsageError(
                f"{self._options.cassette} holds no answer to request {request.key[:16]} "
                f"(sample {request.sample}); record it with mode=record or mode=cache"
            )
        return self._network(request, terms)

    def is_free(self, request: ChatRequest, paid: Mapping[str, LlmCall]) -> bool:
        """Whether the answer is there already."""
        known = paid.get(request.key)
        if known is not None and not known.error:
            return True
        if self._mode is CassetteMode.REPLAY:
            return True
        return self._recorded(request) is not None

    def _recorded(self, request: ChatRequest) -> LlmCall | None:
        if self._cassette is None or not self._mode.reads:
            return None
        return self._cassette.find(request.key)

    def _network(self, request: ChatRequest, terms: ChatTerms) -> LlmCall:
        secret = self._secret()
        options = self._options
        params = sent_params(options.api, options.model, request.params, options.drop)
        start = self._clock.now()

        billed: list[LlmCall] = []

        def failed(one: FailedTry) -> str:
            """Tries that a model had begun are paid for: none is made beyond the budget."""
            if one.began:
                billed.append(self._billed(request, one, self._clock.now() - start))
                terms.tell(billed[-1])
            spent = terms.left.exceeded(_spent(billed))
            return f"the budget of {spent} is spent" if spent else ""

        sent = replace(request, params=params)
        done = self._client.chat(sent, secret, failed, terms.left.seconds)
        call = self._call(request, done, self._clock.now() - start)
        if secret:
            call = call.model_copy(update={"text": call.text.replace(secret, _HIDDEN)})
        if self._cassette is not None and self._mode.writes and not call.error:
            self._cassette.add(request, call)
        terms.tell(call)
        return call

    def _secret(self) -> str | None:
        """The key, from the environment; none where none is named or the usual one is not set."""
        name = self._options.api_key_env
        if name == "":
            return None
        found = os.environ.get(name or self._api.default_key_variable)
        if name and not found:
            raise UsageError(f"the environment variable {name} (api_key_env) is not set")
        return found

    def _call(self, request: ChatRequest, done: Attempted, seconds: float) -> LlmCall:
        blank = LlmCall(key=request.key, model=request.model, seconds=seconds, retries=done.retries)
        if done.answer is None:
            return blank.model_copy(update={"error": done.error})
        answer = done.answer
        usage, price = _counted(request, answer), self._options.price
        changes = {
            "answered_by": answer.answered_by,
            "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out,
            "tokens_cached": usage.tokens_cached,
            "tokens_thinking": usage.tokens_thinking,
            "estimated": not answer.usage.known,
            "dollars": price.dollars(usage) if price else None,
            "finish": answer.finish,
            "text": answer.text,
        }
        return blank.model_copy(update=changes)

    def _billed(self, request: ChatRequest, one: FailedTry, seconds: float) -> LlmCall:
        """A try that failed after the model had begun."""
        usage = _counted(request, ChatAnswer(one.partial))
        price = self._options.price
        return LlmCall(
            key=request.key,
            model=request.model,
            tokens_in=usage.tokens_in,
            tokens_out=usage.tokens_out,
            estimated=True,
            dollars=price.dollars(usage) if price else None,
            seconds=seconds,
            text=one.partial,
            error=one.reason,
        )


def _counted(request: ChatRequest, answer: ChatAnswer) -> Usage:
    """As the answer says; what it does not say is estimated."""
    usage = answer.usage
    read = request.estimated_tokens() if usage.tokens_in is None else usage.tokens_in
    written = estimated_tokens([answer.text]) if usage.tokens_out is None else usage.tokens_out
    return replace(usage, tokens_in=read, tokens_out=written)


def _spent(calls: Sequence[LlmCall]) -> Spend:
    """Tokens and dollars; the time that is left is the client's to keep."""
    return Spend(
        tokens=sum((one.tokens_in or 0) + (one.tokens_out or 0) for one in calls),
        dollars=sum(one.dollars or 0.0 for one in calls),
    )
