"""Options and configurations: what is wrong is one line, and no key is repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.generators.completion.cassette import CassetteMode
from assay.generators.completion.completion_options import configurations, read_options


def test_every_configuration_can_be_used_and_is_documented() -> None:
    page = (Path(__file__).parents[3] / "docs" / "generators.md").read_text()
    assert {"kernelllm", "autotriton", "kevin", "claude"} <= set(configurations())
    for name in configurations():
        read_options({"config": name, "model": "any"})
        assert f"`{name}`" in page, name


def test_the_command_line_has_the_last_word(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('about = "mine"\nmodel = "a"\ntemperature = 0.5\nlanguages = ["triton"]\n')
    found = read_options({"config": str(file), "model": "b", "languages": "cuda,triton"})
    assert (found.model, found.temperature) == ("b", 0.5)
    assert found.languages == ("cuda", "triton")


def test_a_cassette_is_a_cache_unless_said_otherwise() -> None:
    assert read_options({"model": "m"}).used_mode is CassetteMode.LIVE
    assert read_options({"model": "m", "cassette": "f"}).used_mode is CassetteMode.CACHE
    chosen = read_options({"model": "m", "cassette": "f", "mode": "replay"})
    assert chosen.used_mode is CassetteMode.REPLAY


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"model": "m", "modell": "x"}, "no option 'modell'; known: config, model"),
        ({"temperature": "1"}, "option model: Field required"),
        ({"model": "m", "max_tokens": "many"}, "option max_tokens"),
        ({"model": "m", "mode": "replay"}, "needs cassette=FILE"),
        ({"model": "m", "price_in": "1"}, "price_in and price_out"),
        ({"model": "m", "api": "soap"}, "option api"),
        ({"config": "nobody"}, "no configuration 'nobody'; known: .*kernelllm"),
    ],
)
def test_a_wrong_option_is_one_line(options: dict[str, str], complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint) as raised:
        read_options(options)
    assert "\n" not in str(raised.value)


def test_a_key_given_by_mistake_is_not_repeated() -> None:
    with pytest.raises(UsageError, match="name of an environment variable") as raised:
        read_options({"model": "m", "api_key_env": "sk-proj-secret"})
    assert "secret" not in str(raised.value)
