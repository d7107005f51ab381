"""What a console prints of texts that are not for a terminal."""

from __future__ import annotations

from io import StringIO

from rich.live import Live
from rich.text import Text

from assay.report.console import PlainTextConsole
from assay.report.control_characters import without_controls


def test_a_candidates_escape_sequence_is_shown_and_not_obeyed() -> None:
    out = StringIO()
    console = PlainTextConsole(file=out, width=200)
    console.print(Text("\x1b[2J\x1b[31maccepted\u202e\x9b1A\nnext", style="bold"))
    assert out.getvalue() == "U+001B[2JU+001B[31macceptedU+202EU+009B1A\nnext\n"


def test_colours_and_a_live_area_keep_their_own_control_codes() -> None:
    out = StringIO()
    console = PlainTextConsole(file=out, width=80, force_terminal=True, color_system="standard")
    with Live("one", console=console, auto_refresh=False, transient=True) as live:
        live.update(Text("\x1btwo", style="red"), refresh=True)
    assert "\x1b[31mU+001Btwo" in out.getvalue() and "U+000D" not in out.getvalue()


def test_letters_of_any_language_stay() -> None:
    assert without_controls("größer → 日本\u00a0x\ty\n") == "größer → 日本\u00a0x\ty\n"
