"""The file of recorded answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.generation.search_event import LlmCall
from assay.errors import UsageError
from assay.generators.completion.cassette import Cassette
from assay.generators.completion.chat import ChatMessage, ChatRequest


def request(sample: int = 0, temperature: float = 0.1) -> ChatRequest:
    params = {"temperature": temperature, "max_tokens": 5}
    return ChatRequest("m", (ChatMessage("user", "häßlich\n"),), params, sample)


def call(one: ChatRequest, text: str) -> LlmCall:
    return LlmCall(key=one.key, model="m", text=text, seconds=0.1 + 0.2, tokens_in=3)


def test_the_key_is_the_same_everywhere_and_knows_the_sample() -> None:
    same = ChatRequest("m", request().messages, {"max_tokens": 5, "temperature": 0.1})
    assert same.key == request().key and len(same.key) == 64
    others = {request(1).key, request(temperature=0.2).key}
    assert len(others | {same.key}) == 3


def test_what_is_added_is_found_by_another_reader(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    writer, reader = Cassette(path), Cassette(path)
    assert reader.find(request().key) is None
    writer.add(request(), call(request(), "one\u2028 line"))
    writer.add(request(1), call(request(1), "two"))
    found = reader.find(request().key)
    assert found == call(request(), "one\u2028 line").model_copy(update={"replayed": True})
    writer.add(request(), call(request(), "newer"))
    newer = reader.find(request().key)
    assert newer is not None and newer.text == "newer"


def test_a_line_that_is_still_being_written_is_left(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    Cassette(path).add(request(), call(request(), "one"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    assert Cassette(path).find(request().key) is not None


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"version": 2}', '{"version": 1}'])
def test_another_file_is_no_cassette(tmp_path: Path, line: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(UsageError, match=r"calls.jsonl: "):
        Cassette(path).find("k")
