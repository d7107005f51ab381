"""Values that no command can use."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.app.flag_values import check_values
from assay.errors import UsageError


@pytest.mark.parametrize("value", ["a\udcff.py", Path("a\udcff.py"), ["good", "a\udcff"]])
def test_a_name_that_is_not_utf8_is_a_mistake(value: object) -> None:
    with pytest.raises(UsageError, match="is not UTF-8"):
        check_values({"candidates": value})


@pytest.mark.parametrize(("name", "value"), [("html", Path("-")), ("out", "-")])
def test_a_dash_names_no_file_by_accident(name: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"--{name} -: name a file"):
        check_values({name: value})


def test_a_dash_is_stdout_where_a_command_says_so_and_stdin_among_candidates() -> None:
    check_values({"md": Path("-"), "candidates": ["-"], "json": True, "level": None}, ("md",))
