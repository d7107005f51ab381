"""HttpClient: one chat with an endpoint over HTTP: streamed, tried again, never without limit.

The rule: the key is read from the environment when a request is made, goes into a header and
nowhere else. An answer that was cut off is no answer: it is tried again, and its tokens are told.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

import httpx

from assay.errors import UsageError
from assay.generators.completion.chat import ChatAnswer, ChatRequest, Json
from assay.generators.completion.chat_api import (
    AnswerFailed,
    ChatApi,
    MalformedAnswer,
    StreamedAnswer,
    error_text,
)
from assay.generators.completion.waiting import ClientClock, RateLimit, RetryPolicy, asked_pause_s

_CONNECT_S = 15.0
_MOST_BYTES = 32 * 2**20  # of one answer
_WRONG_KEY = frozenset({401, 403})


@dataclass(frozen=True)
class Endpoint:
    """Where a model answers, and how patient its user is."""

    api: ChatApi
    base_url: str
    stream: bool = True
    timeout_s: float = 600.0  # for one try, from request to the last byte
    retries: RetryPolicy = field(default_factory=RetryPolicy)


@dataclass(frozen=True)
class Attempted:
    """How the chat went: an answer, or why there is none after so many retries."""

    answer: ChatAnswer | None
    retries: int
    error: str = ""


@dataclass(frozen=True)
class FailedTry:
    """A try that failed; `began` where the model had read the request, so that it may be billed."""

    reason: str
    may_pass: bool
    began: bool = False
    partial: str = ""
    asked_s: float | None = None


class HttpClient:
    """Asks one endpoint."""

    def __init__(self, endpoint: Endpoint, limit: RateLimit, clock: ClientClock) -> None:
        self._endpoint, self._limit, self._clock = endpoint, limit, clock

    def chat(
        self,
        request: ChatRequest,
        key: str | None,
        failed: Callable[[FailedTry], str],
        timeout_s: float | None = None,
    ) -> Attempted:
        """The answer, or why there is none; every failed try is handed to `failed` at once.

        It says why there may be no further try, or nothing. `timeout_s` is for all tries together.
        A wrong key, model or address is a UsageError.
        """
        retries, policy = 0, self._endpoint.retries
        ends = self._clock.now() + timeout_s if timeout_s is not None else None
        while True:
            self._limit.wait()
            left_s = None if ends is None else max(0.001, ends - self._clock.now())
            found = self._once(request, key, left_s)
            if isinstance(found, ChatAnswer):
                return Attempted(found, retries)
            if why := failed(found):
                return Attempted(None, retries, f"{found.reason}; {why}")
            if not found.may_pass or retries + 1 >= policy.max_tries:
                return Attempted(None, retries, found.reason)
            pause_s = policy.pause_s(retries + 1, found.asked_s, self._clock.random())
            if pause_s > policy.longest_asked_s * 1.1:
                why = f"{found.reason}; the endpoint asks to wait {found.asked_s:.0f} s"
                return Attempted(None, retries, why)
            if ends is not None and self._clock.now() + pause_s >= ends:
                return Attempted(None, retries, f"{found.reason}; no time is left to try again")
            self._clock.sleep(pause_s)
            retries += 1

    def _once(
        self, request: ChatRequest, key: str | None, left_s: float | None
    ) -> ChatAnswer | FailedTry:
        limit_s = min(self._endpoint.timeout_s, left_s or self._endpoint.timeout_s)
        reading = self._endpoint.api.streamed()
        try:
            return self._asked(request, key, limit_s, reading)
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
            return FailedTry(f"no connection: {_named(error)}", may_pass=True)
        except (httpx.UnsupportedProtocol, httpx.InvalidURL) as error:
            raise UsageError(f"base_url {self._endpoint.base_url!r}: {error}") from error
        except httpx.TimeoutException:
            why, partial = f"no answer within {limit_s:g} s", reading.answer().text
            return FailedTry(why, may_pass=True, began=True, partial=partial)
        except httpx.TransportError as error:
            partial = reading.answer().text
            return FailedTry(f"cut off: {_named(error)}", True, began=True, partial=partial)
        except AnswerFailed as error:
            partial = reading.answer().text
            return FailedTry(str(error), error.may_pass, began=bool(partial), partial=partial)
        except MalformedAnswer as error:
            return FailedTry(f"malformed answer: {error}", may_pass=True, began=True)

    def _asked(
        self, request: ChatRequest, key: str | None, limit_s: float, reading: StreamedAnswer
    ) -> ChatAnswer | FailedTry:
        end, point = self._clock.now() + limit_s, self._endpoint
        timeout = httpx.Timeout(limit_s, connect=min(_CONNECT_S, limit_s))
        body = point.api.body(request, point.stream)
        url = point.base_url.rstrip("/") + point.api.path
        with (
            httpx.Client(timeout=timeout, verify=_certificates()) as client,
            client.stream("POST", url, json=body, headers=point.api.headers(key)) as response,
        ):
            if response.status_code != 200:
                return self._refused(response, key)
            if "text/event-stream" not in response.headers.get("content-type", ""):
                return point.api.whole(_document("".join(self._lines(response, end))))
            for event in _events(self._lines(response, end)):
                if event is None:
                    reading.close()
                else:
                    reading.add(event)
        if not reading.finished:
            partial = reading.answer().text
            return FailedTry("the answer was cut off", True, began=True, partial=partial)
        return reading.answer()

    def _lines(self, response: httpx.Response, end: float) -> Iterator[str]:
        """The body, within its time and size: an endpoint may trickle or flood."""
        size = 0
        for line in response.iter_lines():
            size += len(line)
            if self._clock.now() > end:
                raise httpx.ReadTimeout("the answer took too long")
            if size > _MOST_BYTES:
                raise MalformedAnswer(f"it is longer than {_MOST_BYTES} bytes")
            yield line

    def _refused(self, response: httpx.Response, key: str | None) -> FailedTry:
        status = response.status_code
        text = response.read()[:100_000].decode("utf-8", "replace")
        text = text.replace(key, "[key]") if key else text  # some endpoints repeat it
        try:
            said = error_text(_document(text))
        except MalformedAnswer:
            said = " ".join(text.split())[:200]
        why = f"HTTP {status}: {said}" if said else f"HTTP {status}"
        if status in _WRONG_KEY:
            raise UsageError(f"the endpoint refuses the key: {why}")
        if status in (404, 405):
            raise UsageError(f"the endpoint does not know the address or the model: {why}")
        headers = {name.lower(): value for name, value in response.headers.items()}
        asked_s = asked_pause_s(headers, self._clock.wall())
        return FailedTry(why, self._endpoint.retries.may_pass(status), asked_s=asked_s)


@cache
def _certificates() -> ssl.SSLContext:
    """Read once: it takes some 30 ms."""
    return httpx.create_ssl_context()


def _events(lines: Iterator[str]) -> Iterator[Json | None]:
    """The JSON of server-sent events; None for `[DONE]`. Comments are no events."""
    data: list[str] = []
    for line in chain(lines, ("",)):  # the last event may lack its empty line
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif not line and data:
            text, data = "\n".join(data), []
            yield None if text.strip() == "[DONE]" else _document(text)


def _document(text: str) -> Json:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise MalformedAnswer(f"no JSON: {' '.join(text.split())[:80]!r}") from error
    if not isinstance(found, dict):
        raise MalformedAnswer("no JSON object")
    return found


def _named(error: Exception) -> str:
    return f"{type(error).__name__} {error}".strip()
