"""ChatApi: the contract of an API that carries chats over HTTP: bodies out, answers in.

The rule: an API only translates. It opens no connection, and it sees a key just to put it into a
header.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from assay.generators.completion.chat import ChatAnswer, ChatRequest, Json


class MalformedAnswer(Exception):
    """The endpoint answered with something that is no answer of its API."""


class AnswerFailed(Exception):
    """The endpoint began to answer, and then said that it failed."""

    def __init__(self, text: str, may_pass: bool) -> None:
        super().__init__(text)
        self.may_pass = may_pass  # whether the same request may be answered later


class StreamedAnswer(ABC):
    """An answer that arrives in events."""

    @abstractmethod
    def add(self, event: Json) -> None:
        """Take one event; AnswerFailed where it is an error."""

    @abstractmethod
    def close(self) -> None:
        """The endpoint says that there are no more events."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether the endpoint said that the answer is whole."""

    @abstractmethod
    def answer(self) -> ChatAnswer:
        """What arrived so far."""


class ChatApi(ABC):
    """How one family of endpoints is asked."""

    name: str
    path: str  # below the base URL
    default_base_url: str
    default_key_variable: str

    @abstractmethod
    def headers(self, key: str | None) -> dict[str, str]:
        """Of a request; without a key none that names it."""

    @abstractmethod
    def body(self, request: ChatRequest, stream: bool) -> dict[str, Any]:
        """The JSON of a request."""

    @abstractmethod
    def whole(self, document: Json) -> ChatAnswer:
        """An answer that came at once; MalformedAnswer where it is none."""

    @abstractmethod
    def streamed(self) -> StreamedAnswer:
        """Where the events of an answer are put."""


def whole_number(document: Json, *path: str) -> int | None:
    """A count that lies at a path of a document; None where there is none."""
    found: Any = document
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else None


def error_text(document: Json) -> str:
    """What an endpoint says of its error, in one line."""
    found = document.get("error", document)
    text = found.get("message") or found.get("type") if isinstance(found, dict) else found
    return " ".join(str(text).split())[:500]
