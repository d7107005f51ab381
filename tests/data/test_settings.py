"""Settings: what follows from the level where nobody said otherwise."""

from __future__ import annotations

import pytest

from assay.data.settings import Level, Settings
from assay.errors import UsageError
from assay.pipeline import settings_of


@pytest.mark.parametrize("level", list(Level))
def test_the_shortest_level_alone_does_not_time_by_itself(level: Level) -> None:
    assert Settings(level=level).timing is (level is not Level.SMOKE)
    assert Settings(level=level, timing=True).timing
    assert not Settings(level=level, timing=False).timing
    assert Settings(level=level, time_shapes=True).timing


def test_a_record_on_disk_keeps_what_it_says() -> None:
    for settings in (Settings(level=Level.SMOKE, timing=True), Settings(timing=False)):
        assert Settings.model_validate_json(settings.model_dump_json()) == settings


def test_the_reason_names_the_flag() -> None:
    assert "--timing" in Settings(level=Level.SMOKE).untimed
    assert Settings(timing=False).untimed == "timing was switched off"
    assert Settings().untimed == ""


def test_a_level_given_as_an_option_decides_too() -> None:
    assert not settings_of(Settings(jobs=2), {"level": "smoke"}).timing
    assert settings_of(Settings(timing=True), {"level": "smoke"}).timing
    with pytest.raises(UsageError, match="time_shapes"):
        settings_of(None, {"time_shapes": True, "timing": False})
