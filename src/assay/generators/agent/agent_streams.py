"""AgentStream: what an agent writes on its standard output, line by line.

    claude    `claude -p --verbose --output-format stream-json`
    codex     `codex exec --json`
    plain     any text: tokens are estimated

The rule: a line that is not understood is words. Counts are taken from the agent's own report, and
where it makes none they are estimated and say so.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

from assay.generators.completion.chat import Json, Usage, estimated_tokens
from assay.generators.completion.chat_api import whole_number

_CLAUDE_READ = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True)
class AgentTurn:
    """One exchange with the model, as the agent reports it."""

    text: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    estimated: bool = False


@dataclass(frozen=True)
class SessionTotal:
    """What the agent reports of the whole session when it ends."""

    usage: Usage = field(default_factory=Usage)
    dollars: float | None = None
    text: str = ""


class AgentStream(ABC):
    """Reads lines; a turn or a total is given back where one is complete."""

    name: str

    @abstractmethod
    def add(self, line: str) -> AgentTurn | SessionTotal | None:
        """Take a line."""

    def end(self) -> AgentTurn | None:
        """What is left when there are no more lines."""
        return None


class ClaudeStream(AgentStream):
    """A message comes once for each of its blocks, each time with the same usage."""

    name = "claude"

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def add(self, line: str) -> AgentTurn | SessionTotal | None:
        """`assistant` lines are turns, `result` is the total."""
        event = _event(line)
        if event.get("type") == "result":
            cost = event.get("total_cost_usd")
            dollars = float(cost) if isinstance(cost, int | float) and cost >= 0 else None
            usage = _claude_usage(_part(event, "usage"))
            return SessionTotal(usage, dollars, str(event.get("result") or ""))
        message = _part(event, "message")
        key = str(message.get("id") or "")
        if event.get("type") != "assistant" or not key or key in self._seen:
            return None
        self._seen.add(key)
        blocks = [one for one in message.get("content") or () if isinstance(one, dict)]
        text = "".join(str(one.get("text") or "") for one in blocks)
        usage = _claude_usage(_part(message, "usage"))
        return AgentTurn(text, str(message.get("model") or ""), usage)


class CodexStream(AgentStream):
    """Usage comes with the end of a turn; words come in items before it."""

    name = "codex"

    def __init__(self) -> None:
        self._words: list[str] = []

    def add(self, line: str) -> AgentTurn | SessionTotal | None:
        """`turn.completed` is a turn."""
        event = _event(line)
        item = _part(event, "item")
        if item.get("type") in ("agent_message", "assistant_message"):
            self._words.append(str(item.get("text") or ""))
        if event.get("type") != "turn.completed":
            return None
        text, self._words = "\n".join(self._words), []
        found = _part(event, "usage")
        usage = Usage(
            tokens_in=whole_number(found, "input_tokens"),
            tokens_out=whole_number(found, "output_tokens"),
            tokens_cached=whole_number(found, "cached_input_tokens"),
        )
        return AgentTurn(text, usage=usage)


class PlainStream(AgentStream):
    """All that is written is one turn."""

    name = "plain"

    def __init__(self) -> None:
        self._words: list[str] = []

    def add(self, line: str) -> AgentTurn | SessionTotal | None:
        """Kept up to the end."""
        self._words.append(line)
        return None

    def end(self) -> AgentTurn | None:
        """What it wrote; what it read nobody knows."""
        text = "".join(self._words)
        written = estimated_tokens([text])
        return AgentTurn(text, usage=Usage(tokens_out=written), estimated=True) if text else None


def agent_stream(name: str) -> AgentStream:
    """A fresh reader of that name."""
    known: dict[str, type[AgentStream]] = {
        one.name: one for one in (PlainStream, ClaudeStream, CodexStream)
    }
    return known[name]()


def _event(line: str) -> Json:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _part(event: Json, name: str) -> dict[str, Any]:
    found = event.get(name)
    return found if isinstance(found, dict) else {}


def _claude_usage(found: Json) -> Usage:
    counts = [n for name in _CLAUDE_READ if (n := whole_number(found, name)) is not None]
    return Usage(
        tokens_in=sum(counts) if counts else None,
        tokens_out=whole_number(found, "output_tokens"),
        tokens_cached=whole_number(found, _CLAUDE_READ[2]),
    )
