"""Prompts: every version has every move, and says what it was given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Budget
from assay.data.generation.search_event import Move
from assay.errors import UsageError
from assay.generators.candidate_generator import ContextPart, GenerationRequest
from assay.generators.completion.prompt import Prompt
from assay.languages.language_registry import LANGUAGES
from assay.tasks.catalog import resolve

REQUEST = GenerationRequest(resolve("softmax"), "cpu")


def said(version: str, request: GenerationRequest) -> str:
    return "\n".join(one.content for one in Prompt(version).messages(request))


@pytest.mark.parametrize("version", ["v1", "short"])
@pytest.mark.parametrize("move", list(Move))
def test_every_move_has_a_prompt_with_task_parents_context_and_note(
    version: str, move: Move
) -> None:
    parent = Attempt(
        number=1,
        task="softmax",
        candidate="c",
        source="x = '$entry'",
        status="accepted",
        speedup=1.25,
    )
    text = said(
        version,
        replace(
            REQUEST,
            move=move,
            parents=(parent,),
            context=(ContextPart("limits", "memory: 3 us"), ContextPart("empty", " ")),
            note="use wider loads",
        ),
    )
    for part in ("class Model(", "ModelNew", "memory: 3 us", "use wider loads", "1.25 times"):
        assert part in text
    assert "x = '$entry'" in text, "what a candidate says is not filled in"
    assert "$task" not in text and "$sections" not in text and "Empty" not in text


@pytest.mark.parametrize("version", ["v1", "short"])
def test_what_differs_from_run_to_run_is_not_in_it(version: str) -> None:
    later = replace(REQUEST, left=Budget(tokens=5, seconds=1.5), sample=9, seed=4)
    assert said(version, later) == said(version, REQUEST)


@pytest.mark.parametrize("name", [one for one in LANGUAGES.names() if one != "torch"])
def test_every_language_has_a_page_whose_example_is_of_it(name: str) -> None:
    from assay.generators.completion.code_extraction import Extracted, extract

    text = said("v1", replace(REQUEST, languages=(name,)))
    page = text[text.index("Write it in:") : text.index("Device:")]
    found = extract(page)
    assert isinstance(found, Extracted) and found.candidate.language == name


def test_a_device_has_its_usual_languages() -> None:
    assert "omp parallel" in said("v1", REQUEST)
    assert "tl.load" in said("v1", replace(REQUEST, device="cuda"))


def test_a_folder_of_ones_own_serves(tmp_path: Path) -> None:
    (tmp_path / "system.md").write_text("You are terse.")
    (tmp_path / "draft.md").write_text("Do $entry.")
    assert said(str(tmp_path), REQUEST) == "You are terse.\nDo Model."
    with pytest.raises(UsageError, match=r"has no optimise.md"):
        said(str(tmp_path), replace(REQUEST, move=Move.OPTIMISE))
    with pytest.raises(UsageError, match="no prompt 'v0'; known: short, v1"):
        Prompt("v0")
