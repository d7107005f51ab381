"""AnthropicApi: `POST {base_url}/v1/messages`.

The rule: tokens read from or written to a cache are counted among those that were read, as other
APIs do.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from assay.generators.completion.chat import ChatAnswer, ChatRequest, Json, Usage
from assay.generators.completion.chat_api import (
    AnswerFailed,
    ChatApi,
    MalformedAnswer,
    StreamedAnswer,
    error_text,
    whole_number,
)

_VERSION = "2023-06-01"
_FOR_GOOD = frozenset({"invalid_request_error", "authentication_error", "permission_error"})
_FINISH = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
_RENAMED = {"stop": "stop_sequences"}
_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicApi(ChatApi):
    """Claude's own API."""

    name = "anthropic"
    path = "/v1/messages"
    default_base_url = "https://api.anthropic.com"
    default_key_variable = "ANTHROPIC_API_KEY"

    def headers(self, key: str | None) -> dict[str, str]:
        """The key has a header of its own here."""
        return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}

    def body(self, request: ChatRequest, stream: bool) -> dict[str, Any]:
        """What the system says stands beside the messages."""
        system = "\n\n".join(one.content for one in request.messages if one.role == "system")
        said = [asdict(one) for one in request.messages if one.role != "system"]
        params = {_RENAMED.get(name, name): value for name, value in request.params.items()}
        body: dict[str, Any] = {"model": request.model, "messages": said, **params}
        return body | ({"system": system} if system else {}) | ({"stream": True} if stream else {})

    def whole(self, document: Json) -> ChatAnswer:
        """The text blocks of a message; thoughts are left out."""
        if document.get("type") == "error":
            raise AnswerFailed(error_text(document), may_pass=_may_pass(document))
        if not isinstance(document.get("content"), list):
            raise MalformedAnswer("the answer holds no content")
        blocks = [one for one in document["content"] if isinstance(one, dict)]
        text = "".join(str(one.get("text") or "") for one in blocks if one.get("type") == "text")
        usage = document.get("usage") or {}
        return ChatAnswer(
            text=text,
            answered_by=str(document.get("model") or ""),
            finish=_finish(document.get("stop_reason")),
            response_id=str(document.get("id") or ""),
            usage=Usage(
                _sum(usage), whole_number(usage, "output_tokens"), whole_number(usage, _READ[2])
            ),
        )

    def streamed(self) -> StreamedAnswer:
        """Events from `message_start` to `message_stop`."""
        return _StreamedMessage()


class _StreamedMessage(StreamedAnswer):
    """A message in events; the last count of written tokens is the sum."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._finish, self._model, self._id = "", "", ""
        self._read: dict[str, int] = {}
        self._written: int | None = None
        self._stopped = False

    @property
    def finished(self) -> bool:
        return self._stopped

    def close(self) -> None:
        """An event of its own ends a message; the end of the stream says nothing."""

    def add(self, event: Json) -> None:
        kind = event.get("type")
        if kind == "error":
            raise AnswerFailed(error_text(event), may_pass=_may_pass(event))
        if kind == "message_start":
            message = event.get("message") or {}
            self._model, self._id = str(message.get("model") or ""), str(message.get("id") or "")
            self._count(message.get("usage") or {})
        elif kind == "content_block_delta":
            delta = event.get("delta") or {}
            self._parts.append(str(delta.get("text") or ""))  # thoughts are under another name
        elif kind == "message_delta":
            self._finish = _finish((event.get("delta") or {}).get("stop_reason")) or self._finish
            self._count(event.get("usage") or {})
        self._stopped = self._stopped or kind == "message_stop"

    def _count(self, usage: Json) -> None:
        for name in _READ:
            if (count := whole_number(usage, name)) is not None:
                self._read[name] = count
        written = whole_number(usage, "output_tokens")
        self._written = self._written if written is None else written

    def answer(self) -> ChatAnswer:
        usage = Usage(_sum(self._read), self._written, self._read.get(_READ[2]))
        return ChatAnswer("".join(self._parts), self._model, self._finish, self._id, usage)


def _sum(usage: Json) -> int | None:
    """All tokens that were read; None where the answer counts none of them."""
    counts = [count for name in _READ if (count := whole_number(usage, name)) is not None]
    return sum(counts) if counts else None


def _finish(reason: Any) -> str:
    return _FINISH.get(reason, str(reason)) if reason else ""


def _may_pass(document: Json) -> bool:
    error = document.get("error")
    return not isinstance(error, dict) or error.get("type") not in _FOR_GOOD
