"""Data inside a script element: no text of a candidate ends it, and nothing is lost."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest

from assay.report.html.safe_script import json_element, policy_hash, script_element


@pytest.mark.parametrize(
    "text",
    [
        "</script><script>alert(1)</script>",
        "<!--<script>",
        "]]>",
        "&lt;b&gt;",
        "\u2028\u2029",
        "\x00",
    ],
)
def test_text_comes_back_and_holds_nothing_that_html_reads(text: str) -> None:
    element = json_element({"name": text})
    assert json.loads(element)["name"] == text
    assert element.isascii() and not set(element) & set("<>&")


def test_numbers_that_json_lacks_are_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_element([float("nan")])


def test_a_script_does_not_end_its_element() -> None:
    assert script_element("x = '</script>' + '</SCRIPT>'") == "x = '<\\/script>' + '<\\/SCRIPT>'"
    assert "<!--" not in script_element("'<!-- <script>'")


def test_the_policy_names_a_script_by_its_hash() -> None:
    digest = hashlib.sha256(b"run()").digest()
    assert policy_hash("run()") == f"'sha256-{base64.b64encode(digest).decode()}'"
