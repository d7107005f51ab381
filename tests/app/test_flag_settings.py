"""Packages that the user names."""

from __future__ import annotations

import pytest

from assay.app.flag_settings import settings_from
from assay.app.flags import EvalFlags
from assay.data.settings import Settings
from assay.errors import UsageError


def _settings(*packages: str) -> Settings:
    return settings_from(
        EvalFlags(task="task", candidates=["k.py"], allow_package=list(packages)), None
    )


def test_packages_that_are_named_are_in_the_settings_once() -> None:
    assert _settings("scipy", "rich", "scipy").allow_packages == ("scipy", "rich")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("assay", "never shown"),
        ("torch", "is shown"),
        ("a.b", "takes the name"),
        ("no_such_package", "no package of this name is installed"),
    ],
)
def test_what_cannot_be_shown_or_is_shown_anyway_cannot_be_named(name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        _settings(name)
