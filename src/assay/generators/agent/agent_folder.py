"""AgentFolder: what an agent finds when it starts: the task, the skill page, `assay` on its path.

    ROOT/work/      the agent's own: task.py, SKILL.md, kernel.py of a parent, context.md
    ROOT/desk/      ours: bin/assay, the log of its calls, the candidates they judged

The rule: nothing of the caller is named in it: no store, no secret, no held-out workload. Of the
environment the agent gets what it needs to work (its own credentials are among that) and no
variable of ours.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import Template

from assay.data.candidate import Candidate
from assay.data.generation.budget import Budget
from assay.errors import UsageError
from assay.generators.agent import assay_wrapper
from assay.generators.agent.agent_options import AgentOptions
from assay.generators.candidate_generator import GenerationRequest
from assay.languages.candidate_file import load_candidate

_SKILL = Path(__file__).with_name("skill.md")
_PROMPT = (
    "Read SKILL.md in this folder and do what it says: write kernel.py for the module in task.py, "
    "check it with `assay eval`, and make it fast. Work without asking questions."
)
_OURS = "ASSAY_"


@dataclass(frozen=True)
class AgentFolder:
    """One folder for one ask."""

    root: Path

    @property
    def work(self) -> Path:
        """What the agent calls its own."""
        return self.root / "work"

    @property
    def desk(self) -> Path:
        """What it has no business in."""
        return self.root / "desk"

    def environment(self) -> dict[str, str]:
        """The caller's, without our own variables, with the wrapper first on the path."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
        folders = [str(self.desk / "bin"), kept.get("PATH", os.defpath)]
        off = {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}  # asks are independent of each other
        return kept | off | {"PATH": os.pathsep.join(folders)}

    def candidate(self) -> Candidate | None:
        """What lies there as the agent's answer; None where there is nothing."""
        for name in ("kernel.py", "kernel.cpp"):
            path = self.work / name
            if path.is_file() and not path.is_symlink() and path.stat().st_size <= 2**20:
                try:
                    return load_candidate(path)
                except UsageError:
                    continue
        return None


@contextmanager
def agent_folder(
    request: GenerationRequest, options: AgentOptions, limits: Budget
) -> Iterator[AgentFolder]:
    """A fresh folder, filled; it is removed in the end, or moved to where folders are kept."""
    root = Path(tempfile.mkdtemp(prefix="assay-agent-"))
    folder = AgentFolder(root)
    try:
        folder.work.mkdir()
        (folder.desk / "bin").mkdir(parents=True, mode=0o700)
        _fill_work(folder.work, request, options, limits)
        assay_wrapper.install(folder.desk, sys.executable)
        yield folder
    finally:
        if options.keep:
            kept = Path(options.keep) / f"{_plain(request.task.id)}-{request.sample}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder.work, kept, symlinks=True)
        shutil.rmtree(root, ignore_errors=True)


def prompt(request: GenerationRequest) -> str:
    """What the agent is told on its command line."""
    return f"{_PROMPT} {request.note}".strip()


def _fill_work(
    work: Path, request: GenerationRequest, options: AgentOptions, limits: Budget
) -> None:
    (work / "task.py").write_text(request.task.source, encoding="utf-8")
    more = []
    if request.parents:
        parent = request.parents[0]
        (work / "kernel.py").write_text(parent.source, encoding="utf-8")
        found = parent.feedback or parent.reason
        text = f"# The candidate in kernel.py\n\nStatus: {parent.status}. {found}\n"
        (work / "verdict.md").write_text(text, encoding="utf-8")
        more.append("| `verdict.md` | what was found of the `kernel.py` that is there |\n")
    if request.context:
        text = "\n\n".join(f"# {one.name}\n\n{one.text}" for one in request.context)
        (work / "context.md").write_text(text + "\n", encoding="utf-8")
        more.append("| `context.md` | what is known of the device and of earlier attempts |\n")
    check = f"assay eval task.py kernel.py --device {request.device} --level {options.level}"
    languages = ", ".join(request.languages)
    said = {
        "entry": request.task.entry,
        "more": "".join(more),
        "check": check,
        "limits": _limits_words(limits),
        "device": f"The kernel runs on the device `{request.device}`."
        + (f" Write it in one of: {languages}." if languages else ""),
    }
    text = Template(_SKILL.read_text(encoding="utf-8")).safe_substitute(said)
    (work / "SKILL.md").write_text(text, encoding="utf-8")


def _limits_words(limits: Budget) -> str:
    words = []
    if limits.seconds is not None:
        words.append(f"{limits.seconds:.0f} seconds in all")
    if limits.tokens is not None:
        words.append(f"{limits.tokens} tokens")
    if limits.dollars is not None:
        words.append(f"{limits.dollars:.2f} dollars")
    return ", ".join(words) or "there is no limit"


def _plain(name: str) -> str:
    return "".join(one if one.isalnum() or one in "._-" else "_" for one in name)


def command_words(request: GenerationRequest, options: AgentOptions, work: Path) -> list[str]:
    """The command; a UsageError where its program is not installed."""
    words = options.words(prompt(request), str(work))
    if shutil.which(words[0]) is None:
        raise UsageError(f"no such command: {shlex.quote(words[0])} (option command of 'agent')")
    return words
