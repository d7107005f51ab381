"""What a generator is told beside the task, within its cap of tokens."""

from __future__ import annotations

from assay.data.device import Device
from assay.data.generation.search_state import SearchState
from assay.data.limits import TaskLimits
from assay.generators.knowledge.prompt_context import (
    PARTS,
    PromptFacts,
    prompt_context,
    tokens_of,
)
from searched_state import searched, several, tried

ALL = tuple(PARTS)
H200 = Device(kind="cuda", name="NVIDIA H200", architecture="9.0", cores=132, memory_bytes=1)
LIMITS = TaskLimits(
    task="softmax",
    axes={"n": 8},
    board="h200",
    bytes_read=600,
    bytes_written=400,
    flops={"float32": 50},
    elementwise=0,
    units={},
    memory_us=100.0,
    arithmetic_us=1.0,
)


def facts(state: SearchState, **more: object) -> PromptFacts:
    return PromptFacts(state.tasks[0], state, **more)  # type: ignore[arg-type]


def text(name: str, one: PromptFacts, tokens: int = 2000) -> str:
    return next((part.text for part in prompt_context([name], one, tokens)), "")


def test_what_has_nothing_to_say_is_left_out() -> None:
    bare = searched().tasks[0].model_copy(update={"sol_us": None})
    assert prompt_context(ALL, PromptFacts(bare, searched())) == ()
    assert prompt_context(["weather"], facts(searched())) == ()


def test_limits_say_how_far_the_parent_is() -> None:
    parent = tried(0, speedup=4.0)
    said = text("limits", facts(searched(parent), parents=(parent,), limits=LIMITS))
    assert said == (
        "No kernel needs less than 100 us: 1000 bytes, 50 operations; memory binds it. "
        "The parent takes 250 us, 40 % of that."
    )
    assert text("limits", facts(searched())) == "No kernel needs less than 100 us."


def test_the_failure_of_a_parent_is_explained() -> None:
    failed = tried(0, "incorrect", feedback="incorrect: the tail of dimension 1 is wrong")
    said = text("explanation", facts(searched(failed), parents=(failed,), explanation="tail"))
    assert said == "tail\nincorrect: the tail of dimension 1 is wrong"
    right = tried(1, feedback="accepted: 1.2x")
    assert text("explanation", facts(searched(right), parents=(right,))) == ""


def test_the_profile_is_its_sentences_else_the_bottleneck() -> None:
    parent = tried(0, bottleneck="memory")
    assert text("profile", facts(searched(parent), parents=(parent,))) == "Bound by memory."
    assert text("profile", facts(searched(), profile=("A.", "B."))) == "A.\nB."


def test_the_page_of_the_device_is_knowledge() -> None:
    assert "wgmma" in text("knowledge", facts(searched(), device=H200))
    assert text("knowledge", facts(searched())) == ""


def test_what_helped_on_like_tasks_is_a_line_each() -> None:
    state = several(
        softmax_new=(),
        softmax_old=(tried(0, speedup=2.5, labels={"direction": "traffic"}),),
        conv_old=(tried(1, "dishonest", speedup=50.0),),
    )
    assert text("retrieval", facts(state)) == ("softmax_old: 2.50x the baseline (changed: traffic)")


def test_examples_are_accepted_sources_in_full() -> None:
    shown = (tried(0, source="GOOD"), tried(1, "dishonest", source="BAD"))
    said = text("examples", facts(searched(), shown=shown))
    assert "GOOD" in said and "BAD" not in said


def test_the_cap_holds_and_no_source_is_cut() -> None:
    parent = tried(0, bottleneck="memory")
    # A source may hold what stands between two examples.
    shown = (tried(1, source="a = 1\n\n# x\n" * 40), tried(2, source="b = 2\n" * 40))
    one = facts(searched(parent), parents=(parent,), shown=shown, device=H200, limits=LIMITS)
    whole = prompt_context(ALL, one, 10_000)
    for tokens in range(0, 900, 37):
        parts = prompt_context(ALL, one, tokens)
        assert sum(tokens_of(part.text) for part in parts) <= tokens
        for part in parts:
            if part.name == "examples":
                assert part.text.count("a = 1") in (0, 40)
                assert part.text.count("b = 2") in (0, 40)
            full = next(each.text for each in whole if each.name == part.name)
            assert full.startswith(part.text)
    assert [part.name for part in whole] == ["limits", "profile", "knowledge", "examples"]
