"""AgentOptions: which agent is started, how its output is read, and when it is ended.

The rule: the command is the user's own. It is split into words and never given to a shell.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from assay.data.record import Record
from assay.errors import UsageError

PROMPT, FOLDER = "{prompt}", "{folder}"
_PRESETS: dict[str, dict[str, str]] = {
    "claude": {
        "command": "claude -p {prompt} --verbose --output-format stream-json "
        "--permission-mode acceptEdits --allowedTools Bash,Read,Edit,Write,Glob,Grep",
        "stream": "claude",
    },
    "codex": {
        "command": "codex exec --json --skip-git-repo-check --sandbox workspace-write "
        "--cd {folder} {prompt}",
        "stream": "codex",
    },
}


class AgentOptions(Record):
    """What the options of an agent generator may be."""

    command: str = Field(min_length=1)  # `{prompt}` and `{folder}` are filled in
    stream: Literal["plain", "claude", "codex"] = "plain"
    model: str = ""  # for prices and records; the command chooses the model itself
    seconds: float = Field(default=1800.0, gt=0)  # of one ask; the search's budget may be less
    tokens: int | None = Field(default=None, ge=1)
    dollars: float | None = Field(default=None, gt=0)
    level: Literal["smoke", "quick", "standard", "full"] = "quick"  # that the skill page advises
    keep: str = ""  # a folder in which the agent's folders are kept; empty: they are removed

    @model_validator(mode="after")
    def _splits(self) -> Self:
        if not shlex.split(self.command):
            raise ValueError("command is empty")
        return self

    def words(self, prompt: str, folder: str) -> list[str]:
        """The command; the prompt is its last word where it is not placed."""
        words = shlex.split(self.command)
        if not any(PROMPT in word for word in words):
            words.append(PROMPT)
        return [word.replace(FOLDER, folder).replace(PROMPT, prompt) for word in words]


def read_agent_options(given: Mapping[str, str]) -> AgentOptions:
    """Options of the command line over those of a preset; a UsageError for a wrong one."""
    options: dict[str, Any] = dict(given)
    preset = options.pop("preset", None)
    if preset is not None and preset not in _PRESETS:
        raise UsageError(f"no preset '{preset}'; known: {', '.join(_PRESETS)}")
    unknown = [name for name in options if name not in AgentOptions.model_fields]
    if unknown:
        known = ", ".join(["preset", *AgentOptions.model_fields])
        raise UsageError(f"generator 'agent' has no option {unknown[0]!r}; known: {known}")
    try:
        return AgentOptions.model_validate({**_PRESETS.get(preset or "", {}), **options})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        text = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"option {'.'.join(map(str, first['loc']))}: {text}") from error
