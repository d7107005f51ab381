"""Several baselines, and records from when there was one."""

from __future__ import annotations

from assay.data.settings import Settings


def test_a_record_that_names_one_is_read() -> None:
    assert Settings.model_validate_json('{"baseline": "compile"}').baselines == ("compile",)


def test_what_is_written_is_read_again() -> None:
    settings = Settings(baselines=("vendor", "eager"), tf32=True)
    assert Settings.model_validate_json(settings.model_dump_json()) == settings
