"""Bm25: the likeness of texts by their words (Okapi BM25).

    score(q, d) = sum over words w of q:  idf(w) f (k + 1) / (f + k (1 - b + b |d| / mean |d|))
    idf(w)      = ln(1 + (N - n + 0.5) / (n + 0.5))

f: how often w is in d; n: in how many of the N documents w is.

The rule: no word is special. Identifiers are split at underscores, digits and capitals, so that
`row_softmax` and `RowSoftmax` are alike.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

K, B = 1.5, 0.75
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


@lru_cache(maxsize=1024)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters; single letters are left out."""
    return tuple(one.lower() for one in _WORD.findall(text) if len(one) > 1)


class Bm25:
    """An index over documents, each a list of words."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._counts = [Counter(one) for one in documents]
        self._lengths = [len(one) for one in documents]
        self._mean = sum(self._lengths) / max(1, len(documents)) or 1.0
        self._holding = Counter(word for one in self._counts for word in one)

    def scores(self, query: Iterable[str]) -> list[float]:
        """The likeness of every document to the query, none below nought."""
        asked = {word: self._idf(word) for word in query if word in self._holding}
        return [self._score(place, asked) for place in range(len(self._counts))]

    def _idf(self, word: str) -> float:
        holding = self._holding[word]
        return math.log(1 + (len(self._counts) - holding + 0.5) / (holding + 0.5))

    def _score(self, place: int, asked: dict[str, float]) -> float:
        counts, found = self._counts[place], 0.0
        norm = K * (1 - B + B * self._lengths[place] / self._mean)
        for word, idf in asked.items():
            times = counts[word]
            found += idf * times * (K + 1) / (times + norm) if times else 0.0
        return found
