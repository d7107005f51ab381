"""OpenAiApi: `POST {base_url}/chat/completions`, which most servers of models speak.

The rule: usage is read under every name that servers give it; a name that is missing is unknown,
never zero.
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


class OpenAiApi(ChatApi):
    """OpenAI, vLLM, SGLang, llama.cpp, Ollama, LM Studio, OpenRouter, DeepSeek and others."""

    name = "openai"
    path = "/chat/completions"
    default_base_url = "https://api.openai.com/v1"
    default_key_variable = "OPENAI_API_KEY"

    def headers(self, key: str | None) -> dict[str, str]:
        """A bearer token, where there is a key: local servers need none."""
        return {"Authorization": f"Bearer {key}"} if key else {}

    def body(self, request: ChatRequest, stream: bool) -> dict[str, Any]:
        """Streams are asked for their usage, which they else leave out."""
        messages = [asdict(one) for one in request.messages]
        body: dict[str, Any] = {"model": request.model, "messages": messages, **request.params}
        if stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def whole(self, document: Json) -> ChatAnswer:
        """The first choice: one is asked for."""
        answer = _StreamedCompletion()
        answer.add(document)
        if not document.get("choices"):
            raise MalformedAnswer("the answer holds no choices")
        return answer.answer()

    def streamed(self) -> StreamedAnswer:
        """Deltas of the first choice."""
        return _StreamedCompletion()


class _StreamedCompletion(StreamedAnswer):
    """A message in parts; a whole one is a single part."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._finish, self._model, self._id = "", "", ""
        self._usage = Usage()
        self._closed = False

    def close(self) -> None:
        """Some servers give no reason why an answer ends, and close it all the same."""
        self._closed = True

    @property
    def finished(self) -> bool:
        return self._closed or bool(self._finish)

    def add(self, event: Json) -> None:
        if event.get("error"):
            code = whole_number(event, "error", "code") or 0
            raise AnswerFailed(error_text(event), may_pass=code not in (400, 401, 403))
        self._model = str(event.get("model") or self._model)
        self._id = str(event.get("id") or self._id)
        if isinstance(event.get("usage"), dict):
            self._usage = _usage(event["usage"])
        for choice in event.get("choices") or ():
            part = choice.get("delta") or choice.get("message") or {}
            self._parts.append(_text(part.get("content")))
            self._finish = str(choice.get("finish_reason") or self._finish)

    def answer(self) -> ChatAnswer:
        text = "".join(self._parts)
        return ChatAnswer(text, self._model, self._finish, self._id, self._usage)


def _text(content: Any) -> str:
    """Content is a text, or a list of parts of which some are texts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else ()
    return "".join(str(one.get("text") or "") for one in parts if isinstance(one, dict))


def _usage(found: Json) -> Usage:
    """Under the names of OpenAI's two APIs, of DeepSeek and of Moonshot."""

    def first(*paths: tuple[str, ...]) -> int | None:
        counts = (whole_number(found, *path) for path in paths)
        return next((count for count in counts if count is not None), None)

    return Usage(
        tokens_in=first(("prompt_tokens",), ("input_tokens",)),
        tokens_out=first(("completion_tokens",), ("output_tokens",)),
        tokens_cached=first(
            ("prompt_tokens_details", "cached_tokens"),
            ("input_tokens_details", "cached_tokens"),
            ("prompt_cache_hit_tokens",),
            ("cached_tokens",),
        ),
        tokens_thinking=first(
            ("completion_tokens_details", "reasoning_tokens"),
            ("output_tokens_details", "reasoning_tokens"),
        ),
    )
