"""CodeExtraction: the candidate in a model's answer, or why there is none.

Models write several blocks, none, blocks that were cut off, files side by side, edits of a parent,
words before and after. The last whole block that defines the entry is the candidate: what comes
before it are drafts.

The rule: code is found, never mended. A block with a syntax error is a candidate that will not
build; one that was cut off is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from assay.data.candidate import Candidate, SourceFile
from assay.generators.candidate_source import NoCandidate
from assay.generators.completion.edit_blocks import EditRefused, edited, edits_of
from assay.generators.completion.fenced_blocks import FencedBlock, ReadAnswer, read_answer
from assay.languages.candidate_file import ENTRY, candidate_of_text, defines_entry
from assay.languages.language_registry import detect_language, source_suffixes
from assay.python_tree import module_tree

_CODE_LINE = re.compile(r'^(?:import |from \w|@|class |def |#!|"""|#include)')
_MOST_FILES = 16
_MOST_CHARACTERS = 2**20
_MOST_PLACES = 12  # at which code without a fence may begin, and may end
_HEADER = '"assay.h"'


@dataclass(frozen=True)
class Extracted:
    """A candidate, and the words of the answer around it."""

    candidate: Candidate
    words: str


def extract(text: str, cut_off: bool = False, parent: str = "") -> Extracted | NoCandidate:
    """The candidate of an answer; `cut_off` where it ended at the limit of its tokens."""
    if len(text) > _MOST_CHARACTERS:
        return NoCandidate(f"the answer is longer than {_MOST_CHARACTERS} characters")
    read = read_answer(text)
    if read.only_thoughts:
        return NoCandidate("the answer ended before its code: the model was still thinking")
    if not read.text.strip():
        return NoCandidate("the answer is empty")
    edits = _edited(read, parent)
    if edits is not None:
        return edits
    mains = [one for one in read.blocks if _is_main(one)]
    mains = mains or [one for one in read.blocks if _is_bare(one)]
    if not mains and not any(one.text.strip() for one in read.blocks):
        mains = _unfenced(read.text)
    whole = [one for one in mains if _is_whole(one, cut_off and one is mains[-1])]
    if not whole:
        return NoCandidate(_why_none(read, mains))
    return Extracted(_candidate(whole[-1], read.blocks), read.words)


def _edited(read: ReadAnswer, parent: str) -> Extracted | NoCandidate | None:
    """The parent with the answer's edits; None where the answer holds no edits."""
    try:
        edits = edits_of(read.text)
        if not edits:
            return None
        if not parent:
            return NoCandidate("the answer edits a parent, and there is none")
        return Extracted(candidate_of_text(edited(parent, edits)), read.words)
    except EditRefused as refused:
        return NoCandidate(str(refused))


def _is_main(block: FencedBlock) -> bool:
    """Whether a block defines the entry."""
    return defines_entry(SourceFile(path="kernel.py", text=block.text))


def _is_bare(block: FencedBlock) -> bool:
    """Whether a block is a candidate without Python: a source that includes our header."""
    bare = not candidate_of_text(block.text).main.path.endswith(".py")
    return bare and _HEADER in block.text


def _is_whole(block: FencedBlock, cut_off: bool) -> bool:
    """A block that may have been cut off counts where it parses all the same."""
    if block.closed and not cut_off:
        return True
    if _is_main(block):
        return _parses(block.text)
    return block.text.count("{") == block.text.count("}")


def _parses(text: str) -> bool:
    try:
        module_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True


def _unfenced(text: str) -> list[FencedBlock]:
    """The code of an answer without fences: from its first line of code to the last that parses."""
    lines = text.split("\n")
    starts = [n for n, line in enumerate(lines) if _CODE_LINE.match(line)]
    for start in starts[:_MOST_PLACES]:
        for end in _ends(lines, start):
            block = FencedBlock("", "", "\n".join(lines[start:end]) + "\n")
            if _is_main(block) and _parses(block.text):
                return [block]
    whole = FencedBlock("", "", text.strip("\n") + "\n", closed=False)
    return [whole] if _is_main(whole) or _is_bare(whole) else []


def _ends(lines: list[str], start: int) -> list[int]:
    """Where code may end: at the end, or before a line of words that is not indented."""
    words = [
        n
        for n in range(start + 1, len(lines))
        if lines[n] and not lines[n][0].isspace() and not lines[n - 1].strip()
    ]
    return [len(lines), *reversed(words[-_MOST_PLACES:])]


def _why_none(read: ReadAnswer, mains: list[FencedBlock]) -> str:
    if mains:
        return "the answer was cut off inside its code"
    if not read.blocks:
        return f"the answer holds no code that defines {ENTRY}"
    if not read.blocks[-1].closed:
        return f"the answer was cut off before it defined {ENTRY}"
    named = [name for one in read.blocks for name in _defined(one.text)]
    found = f"; it defines {', '.join(dict.fromkeys(named[:6]))}" if named else ""
    return f"no code of the answer defines {ENTRY}{found}"


def _defined(text: str) -> list[str]:
    return re.findall(r"^(?:class|def)\s+(\w+)", text, re.MULTILINE)


def _candidate(main: FencedBlock, blocks: tuple[FencedBlock, ...]) -> Candidate:
    """The main file, and the named files that it mentions."""
    alone = candidate_of_text(main.text)
    more: dict[str, str] = {}
    for block in blocks:
        path = _safe_path(block.name)
        if block is main or path is None or not block.closed or path.name == alone.main.path:
            continue
        if path.stem in main.text or path.name in "".join(more.values()):
            more[str(path)] = block.text  # of several under one name the last
    if not more:
        return alone
    files = [SourceFile(path=path, text=text) for path, text in list(more.items())[:_MOST_FILES]]
    sources = (alone.main, *files)
    return alone.model_copy(update={"sources": sources, "language": detect_language(sources)})


def _safe_path(name: str) -> PurePosixPath | None:
    """A path inside the candidate's folder, of a kind that a candidate may hold."""
    path = PurePosixPath(name)
    inside = name and not path.is_absolute() and ".." not in path.parts
    return path if inside and path.suffix in source_suffixes() else None
