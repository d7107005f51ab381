from __future__ import annotations

import pytest

from assay.data.candidate import Language
from assay.errors import UsageError
from assay.languages.registry import LANGUAGES, language


def test_every_language_of_the_data_has_an_adapter() -> None:
    assert set(LANGUAGES) == {item.value for item in Language}


@pytest.mark.parametrize("name", LANGUAGES)
def test_an_adapter_keeps_the_contract(name: str) -> None:
    adapter = language(name)
    assert adapter.name == name
    assert adapter.preload and all(isinstance(module, str) for module in adapter.preload)
    missing = adapter.available()
    assert missing is None or "install" in missing
    assert adapter.interpreted("cuda") is False


def test_triton_is_interpreted_on_a_cpu_only() -> None:
    triton = language("triton")
    assert triton.interpreted("cpu") and triton.environment("cpu") == {"TRITON_INTERPRET": "1"}
    assert triton.environment("cuda") == {}


def test_an_unknown_language_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="known: torch, triton"):
        language("fortran")


def test_a_missing_package_gives_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.languages.language.find_spec", lambda name: None)
    assert "pip install triton==3.7.1" in str(language("triton").available())
