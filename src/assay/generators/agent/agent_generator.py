"""AgentGenerator: candidates from a coding agent that the user names.

    folder with task and skill page -> the agent works, calls `assay eval` -> its best candidate

The rule: the agent is ended at its budget with everything it started, and what it left is judged
again by the caller: its own verdicts are claims.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from assay.data.candidate import Candidate, ClaimedResult, Provenance
from assay.data.generation.budget import Budget, Spend
from assay.data.generator import Generator
from assay.errors import UsageError
from assay.generators.agent.agent_folder import AgentFolder, agent_folder, command_words
from assay.generators.agent.agent_options import AgentOptions, read_agent_options
from assay.generators.agent.agent_process import AgentProcess
from assay.generators.agent.agent_streams import agent_stream
from assay.generators.agent.agent_turns import AgentTurns
from assay.generators.agent.tool_log import JudgedCandidate, ToolLog
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate

_MOST_WORDS = 4000


class AgentGenerator(CandidateGenerator):
    """Claude Code, Codex, or any command that works in a folder."""

    name = "agent"

    def __init__(self, options: AgentOptions | None = None) -> None:
        self._options = options

    def configured(self, options: Mapping[str, str]) -> Self:
        """With the options of `agent_options`; `command`, or a `preset`, is needed."""
        if not options:
            raise UsageError("generator 'agent' needs --option command='...' or preset=claude")
        return type(self)(read_agent_options(options))

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        """One session of the agent. What it costs is told turn by turn."""
        options = self._options
        if options is None:
            raise UsageError("generator 'agent' needs --option command='...' or preset=claude")
        limits, start = _limits(options, request.left), time.monotonic()
        with agent_folder(request, options, limits) as folder:
            command = command_words(request, options, folder.work)
            log = ToolLog(folder.desk, request.sample)
            turns = AgentTurns(options.command, options.model, tell)
            session = _WatchedAgent(turns, log, limits, tell)
            ended = session.run(command, folder, options.stream)
            seconds = time.monotonic() - start
            best = log.best()
            candidate = best.candidate if best else folder.candidate()
        if candidate is None:
            return NoCandidate(f"the agent left no kernel.py: {ended}")
        made = _with_provenance(candidate, request, turns, seconds)
        return Proposal(
            made,
            rationale=f"{turns.words[:_MOST_WORDS]}\n[{ended}]".strip(),
            claimed=_claim(made, best, log),
            spent=Spend(seconds=seconds),
        )


@dataclass
class _WatchedAgent:
    """The agent's work, watched."""

    turns: AgentTurns
    log: ToolLog
    limits: Budget
    tell: Tell

    def run(self, command: list[str], folder: AgentFolder, stream: str) -> str:
        """How it ended, in words."""
        reading = agent_stream(stream)
        start, why = time.monotonic(), ""

        def may_go_on() -> bool:
            nonlocal why
            self._tell_tools()
            spent = self.turns.spent + Spend(seconds=time.monotonic() - start)
            why = self.limits.exceeded(spent)
            return not why

        with AgentProcess(command, folder) as process:
            for line in process.lines(may_go_on):
                if found := reading.add(line):
                    self.turns.add(found)
            code = None if why else process.wait()
            errors = process.errors()
        if left := reading.end():
            self.turns.add(left)
        self._tell_tools()
        if why:
            return f"ended at its budget of {why}"
        if code == 0:
            return "it ended by itself"
        return f"exit code {code}: {errors[-300:]}" if code is not None else "it did not end"

    def _tell_tools(self) -> None:
        for event in self.log.news():
            self.tell(event)


def _limits(options: AgentOptions, left: Budget) -> Budget:
    """The less of what the options and the search's budget allow."""

    def less(name: str) -> float | None:
        both = (getattr(options, name), getattr(left, name))
        return min((one for one in both if one is not None), default=None)

    tokens = less("tokens")
    return Budget(
        seconds=less("seconds"),
        tokens=None if tokens is None else int(tokens),
        dollars=less("dollars"),
    )


def _claim(
    candidate: Candidate, best: JudgedCandidate | None, log: ToolLog
) -> ClaimedResult | None:
    """What `assay eval` said to the agent of this very candidate, last."""
    if best is not None:
        return best.claimed
    same = [one for one in log.judged if one.candidate.id == candidate.id]
    return same[-1].claimed if same else None


def _with_provenance(
    candidate: Candidate, request: GenerationRequest, turns: AgentTurns, seconds: float
) -> Candidate:
    provenance = Provenance(
        generator=Generator(name=AgentGenerator.name, model=turns.model),
        parents=tuple(one.candidate for one in request.parents if one.candidate),
        sample=request.sample,
        cost_usd=turns.spent.dollars or None,
        seconds=seconds,
    )
    name = f"{request.task.id}/{AgentGenerator.name}-{request.sample}"
    return candidate.model_copy(update={"name": name, "provenance": provenance})
