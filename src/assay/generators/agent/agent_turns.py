"""AgentTurns: turns of an agent made into calls that are told, and their sum against the budget.

The rule: a turn is told when it is known. What the agent's closing report says beyond those turns
is told as one more call, so that the sum is the report's.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import dataclass, field

from assay.data.generation.budget import Budget, Spend
from assay.data.generation.search_event import LlmCall
from assay.generators.agent.agent_streams import AgentTurn, SessionTotal
from assay.generators.candidate_generator import Tell
from assay.generators.completion.chat import Usage
from assay.generators.completion.prices import price_of

_MOST_TEXT = 20_000


@dataclass
class AgentTurns:
    """The calls of one session."""

    command: str
    model: str
    tell: Tell
    spent: Spend = field(default_factory=Spend)
    words: str = ""  # of the last turn
    session: str = field(default_factory=lambda: uuid.uuid4().hex)  # another one is paid anew
    _count: int = 0
    _sum: Usage = field(default_factory=lambda: Usage(0, 0, 0))

    def add(self, found: AgentTurn | SessionTotal) -> None:
        """Tell what it cost."""
        self.words = found.text or self.words
        if isinstance(found, AgentTurn):
            self._tell(found.usage, self._dollars(found), found)
            return
        rest = Usage(
            _rest(found.usage.tokens_in, self._sum.tokens_in),
            _rest(found.usage.tokens_out, self._sum.tokens_out),
            _rest(found.usage.tokens_cached, self._sum.tokens_cached),
        )
        dollars = None
        if found.dollars is not None:
            dollars = max(0.0, found.dollars - self.spent.dollars)
        if rest.tokens_in or rest.tokens_out or dollars:
            self._tell(rest, dollars, AgentTurn(text=found.text))

    def exceeded(self, limits: Budget) -> str:
        """Which limit is reached; empty where there is room left."""
        return limits.exceeded(self.spent)

    def _dollars(self, turn: AgentTurn) -> float | None:
        price = price_of(turn.model or self.model)
        return price.dollars(turn.usage) if price else None

    def _tell(self, usage: Usage, dollars: float | None, turn: AgentTurn) -> None:
        self._count += 1
        self._sum = Usage(
            (self._sum.tokens_in or 0) + (usage.tokens_in or 0),
            (self._sum.tokens_out or 0) + (usage.tokens_out or 0),
            (self._sum.tokens_cached or 0) + (usage.tokens_cached or 0),
        )
        tokens = (usage.tokens_in or 0) + (usage.tokens_out or 0)
        self.spent += Spend(tokens=tokens, dollars=dollars or 0.0)
        said = {"agent": self.command, "session": self.session, "turn": self._count}
        key = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
        self.tell(
            LlmCall(
                key=key,
                model=self.model or turn.model,
                answered_by=turn.model,
                tokens_in=usage.tokens_in,
                tokens_out=usage.tokens_out,
                tokens_cached=usage.tokens_cached,
                estimated=turn.estimated,
                dollars=dollars,
                text=turn.text[:_MOST_TEXT],
            )
        )


def _rest(total: int | None, told: int | None) -> int | None:
    return None if total is None else max(0, total - (told or 0))
