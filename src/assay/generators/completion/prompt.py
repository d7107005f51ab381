"""Prompt: the messages of a request, made of versioned templates and the parts that were asked.

A version is a folder of templates in `prompts/`: `system`, and one a move. `$task`, `$entry` and
`$sections` stand for the module, its class, and everything that the request adds: languages,
device, attempts, context, the note. A user's own folder serves as well.

The rule: the same request gives the same messages. Nothing that differs from run to run (time,
spend, paths) is in them, or an answer that was paid would not be found again.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

from assay.data.generation.attempt import Attempt
from assay.data.generation.search_event import Move
from assay.errors import UsageError
from assay.generators.candidate_generator import GenerationRequest
from assay.generators.completion.chat import ChatMessage

_FOLDER = Path(__file__).with_name("prompts")
_LANGUAGES = Path(__file__).with_name("languages")
_TEMPLATE = {
    Move.DRAFT: "draft",
    Move.REPAIR: "repair",
    Move.OPTIMISE: "optimise",
    Move.CROSSOVER: "crossover",
    Move.CONFIG: "optimise",
}
_USUAL = {"cpu": ("cpp",), "cuda": ("triton", "cuda")}
_DEVICE = {"cpu": "a CPU; torch has as many threads as cores", "cuda": "an NVIDIA GPU"}
_TITLES = {
    "limits": "What bounds the speed",
    "profile": "Profile of the last attempt",
    "explanation": "How the last attempt is wrong",
    "knowledge": "About the device",
    "retrieval": "Earlier attempts at similar tasks",
    "examples": "Examples",
}


class Prompt:
    """One version of all templates."""

    def __init__(self, version: str) -> None:
        self.version = version
        self._folder = Path(version) if "/" in version else _FOLDER / version
        if not (self._folder / "draft.md").is_file():
            known = ", ".join(sorted(one.name for one in _FOLDER.iterdir() if one.is_dir()))
            raise UsageError(f"no prompt '{version}'; known: {known}, or a folder with draft.md")

    def messages(self, request: GenerationRequest) -> tuple[ChatMessage, ...]:
        """What the model is told."""
        said = {
            "task": request.task.source.strip(),
            "entry": request.task.entry,
            "sections": "".join(f"{one}\n\n" for one in _sections(request)),
        }
        found = (("system", "system"), ("user", _TEMPLATE[request.move]))
        return tuple(
            ChatMessage(role, Template(_text(self._folder, name)).safe_substitute(said).strip())
            for role, name in found
        )


def _sections(request: GenerationRequest) -> list[str]:
    found = [_languages(request), f"Device: {_DEVICE.get(request.device, request.device)}."]
    found += [
        f"## {_TITLES.get(one.name, one.name.capitalize())}\n{one.text.strip()}"
        for one in request.context
        if one.text.strip()
    ]
    found += [_attempt(one) for one in request.parents]
    if request.note:
        found.append(f"What to do now: {request.note.strip()}")
    return found


def _languages(request: GenerationRequest) -> str:
    names = request.languages or _USUAL.get(request.device, ("triton",))
    texts = [_language(name) for name in names]
    head = "Write it in:" if len(texts) == 1 else "Write it in one of:"
    return "\n\n".join([head, *texts])


def _language(name: str) -> str:
    """How a language is written here; of one that has no page its name."""
    known = _LANGUAGES / f"{name}.md"
    return known.read_text(encoding="utf-8").strip() if known.is_file() else name


def _attempt(attempt: Attempt) -> str:
    """A parent, with what was found of it."""
    speed = ""
    if attempt.speedup is not None:
        speed = f" It is {attempt.speedup:.3g} times as fast as the baseline."
    status = attempt.status or "not judged"
    words = attempt.feedback.strip() or attempt.reason.strip()
    found = f"Verdict: {status}.{speed}" + (f"\n{words}" if words else "")
    fence = "cpp" if '"assay.h"' in attempt.source else "python"
    return f"An attempt:\n\n```{fence}\n{attempt.source.strip()}\n```\n\n{found}"


@cache
def _text(folder: Path, name: str) -> str:
    path = folder / f"{name}.md"
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"the prompt {folder.name} has no {path.name}") from error
