from __future__ import annotations

import base64
import zlib

import pytest

from assay.source_analysis.literals.decoding import decode, decodes


def test_encoded_text_is_worked_out() -> None:
    hidden = base64.b64encode(zlib.compress(b"import torch"))
    inner = decode("base64.b64decode", [hidden])
    assert decode("zlib.decompress", [inner]) == b"import torch"
    assert decode("codecs.decode", ["vzcbeg gbepu", "rot13"]) == "import torch"
    assert decode("builtins.bytes.fromhex", ["6162"]) == b"ab"


def test_a_bomb_stays_small() -> None:
    bomb = zlib.compress(b"0" * 50_000_000)
    found = decode("zlib.decompress", [bomb])
    assert found is not None and len(found) <= 250_000


@pytest.mark.parametrize("given", [[], [3], [b"\xff\xff"]])
def test_what_cannot_be_decoded_is_nothing(given: list[object]) -> None:
    assert decode("zlib.decompress", given) is None


def test_other_names_decode_nothing() -> None:
    assert not decodes("torch.load")
