"""A composition as a file: an ordinary task that says how it was made."""

from __future__ import annotations

import ast
from itertools import islice

import pytest

from assay.tasks.readers.kernelbench import task_of_text
from assay.tasks.synthesis.composed_file import chain_in, composed_text
from assay.tasks.synthesis.composer import compositions
from assay.tasks.synthesis.composition import Composition


@pytest.fixture(scope="module")
def made_so_far() -> list[Composition]:
    return list(islice(compositions(5), 20))


@pytest.mark.parametrize("number", range(20))
def test_it_is_a_task_file_with_seed_and_chain(made_so_far: list[Composition], number: int) -> None:
    made = made_so_far[number]
    text = composed_text(made)
    task = task_of_text(text)
    assert made.dtype in task.title and task.title.startswith(made.natives[0])
    head = ast.get_docstring(ast.parse(text))
    assert head is not None and "--seed 5" in head and f"composition {made.number}," in head
    assert chain_in(text) == made.chain
    assert [step for step in made.steps if f"        x = {step}\n" not in text] == []


def test_another_file_has_no_chain() -> None:
    assert chain_in("import torch\n") is None
