"""BM25 against values computed by hand from its formula."""

from __future__ import annotations

import math

import pytest

from assay.generators.knowledge.bm25 import Bm25, words_of


def test_identifiers_are_split_into_words() -> None:
    assert words_of("row_softmax RowSoftmax HTTPServer fp16 x") == (
        *("row", "softmax", "row", "softmax", "http", "server", "fp", "16"),
    )


def test_a_score_is_that_of_the_formula() -> None:
    index = Bm25([["soft", "max", "max"], ["conv"]])
    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    norm = 1.5 * (1 - 0.75 + 0.75 * 3 / 2)
    assert index.scores(["max"]) == [pytest.approx(idf * 2 * 2.5 / (2 + norm)), 0.0]


def test_rare_words_count_more_than_common_ones() -> None:
    index = Bm25([["kernel", "softmax"], ["kernel", "conv"], ["kernel", "scan"]])
    common, rare = index.scores(["kernel"])[0], index.scores(["softmax"])[0]
    assert 0 < common < rare


def test_of_equal_matches_the_shorter_text_is_nearer() -> None:
    short, long = Bm25([["scan"], ["scan", *["other"] * 20]]).scores(["scan"])
    assert short > long > 0


def test_nothing_is_like_an_unknown_word_or_an_empty_index() -> None:
    assert Bm25([["scan"]]).scores(["matmul"]) == [0.0]
    assert Bm25([]).scores(["scan"]) == []
    assert Bm25([[]]).scores(["scan"]) == [0.0]
