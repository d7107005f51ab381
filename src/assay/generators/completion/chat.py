"""Chat: one request to a language model, and its answer, whatever API carries them.

The rule: a request knows neither the endpoint nor the key of its user. The same model, messages,
parameters and sample index have the same key, on every machine.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

Json = Mapping[str, Any]
CHARACTERS_A_TOKEN = 4  # of English and code; a count made with it is flagged as estimated


@dataclass(frozen=True)
class ChatMessage:
    """What one side says: `system`, `user` or `assistant`."""

    role: str
    content: str


@dataclass(frozen=True)
class ChatRequest:
    """What is asked. Parameters have OpenAI's names; an API renames what it calls otherwise."""

    model: str
    messages: tuple[ChatMessage, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    sample: int = 0  # which of several answers to the same question

    @property
    def key(self) -> str:
        """The SHA-256 of the request's canonical JSON."""
        text = json.dumps(self.document(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def document(self) -> dict[str, Any]:
        """As JSON, in the names of the cassette."""
        return {
            "model": self.model,
            "messages": [asdict(one) for one in self.messages],
            "params": dict(self.params),
            "sample_index": self.sample,
        }

    def estimated_tokens(self) -> int:
        """About how many tokens the model reads."""
        return estimated_tokens([one.content for one in self.messages])


@dataclass(frozen=True)
class Usage:
    """Tokens as the answer counts them. None: it does not say."""

    tokens_in: int | None = None  # all that was read, cached ones too
    tokens_out: int | None = None  # all that was written, thoughts too
    tokens_cached: int | None = None
    tokens_thinking: int | None = None

    @property
    def known(self) -> bool:
        """Whether both sides were counted by the endpoint."""
        return self.tokens_in is not None and self.tokens_out is not None


@dataclass(frozen=True)
class ChatAnswer:
    """What a model answered."""

    text: str
    answered_by: str = ""
    finish: str = ""  # "stop", "length" or another word of the endpoint
    response_id: str = ""
    usage: Usage = field(default_factory=Usage)


def estimated_tokens(texts: Sequence[str]) -> int:
    """About how many tokens some texts have, without a network: a quarter of their characters."""
    return -(-sum(map(len, texts)) // CHARACTERS_A_TOKEN)
