"""CompletionOptions: which model is asked, where, how, and at what price.

Options come from a configuration (`config=NAME` of `configs/`, or a TOML file) and from
`--option NAME=VALUE`, which has the last word.

The rule: an option names the environment variable that holds a key, never the key.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from assay.data.record import Record
from assay.errors import UsageError, reason_of
from assay.generators.completion.cassette import CassetteMode
from assay.generators.completion.known_apis import chat_api
from assay.generators.completion.prices import Price, price_of

_CONFIGS = Path(__file__).with_name("configs")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,79}")


def _words(value: Any) -> Any:
    """`a,b` on the command line is a list in a file."""
    return [one for one in value.split(",") if one] if isinstance(value, str) else value


def _document(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


class CompletionOptions(Record):
    """What the options of a completion generator may be."""

    model: str = Field(min_length=1)
    api: Literal["openai", "anthropic"] = "openai"
    base_url: str = ""  # empty: the API's own
    api_key_env: str | None = None  # empty: none is sent; None: the API's usual variable, if set
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int = Field(default=8192, ge=1)
    reasoning_effort: str | None = None
    seed: bool = False  # send the seed of the request
    extra: Annotated[dict[str, Any], BeforeValidator(_document)] = Field(default_factory=dict)
    drop: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()  # parameters that it refuses
    prompt: str = "v1"
    languages: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    cassette: str = ""
    mode: CassetteMode | None = None  # None: live, or cache where there is a cassette
    stream: bool = True
    timeout_s: float = Field(default=600.0, gt=0)
    max_tries: int = Field(default=5, ge=1, le=20)
    requests_per_minute: float | None = Field(default=None, gt=0)
    price_in: float | None = Field(default=None, ge=0)
    price_out: float | None = Field(default=None, ge=0)
    price_cached: float | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.api_key_env and not _VARIABLE.fullmatch(self.api_key_env):
            # The value is not repeated: somebody may have put the key itself here.
            raise ValueError("api_key_env is the name of an environment variable, not a key")
        if (self.price_in is None) != (self.price_out is None):
            raise ValueError("price_in and price_out are given together")
        if self.used_mode is not CassetteMode.LIVE and not self.cassette:
            raise ValueError(f"mode {self.used_mode.value} needs cassette=FILE")
        return self

    @property
    def used_mode(self) -> CassetteMode:
        """As given; else a cassette is a cache."""
        return self.mode or (CassetteMode.CACHE if self.cassette else CassetteMode.LIVE)

    @property
    def url(self) -> str:
        """Of the endpoint."""
        return self.base_url or chat_api(self.api).default_base_url

    @property
    def price(self) -> Price | None:
        """As given, else the table's."""
        if self.price_in is not None and self.price_out is not None:
            return Price(self.price_in, self.price_out, self.price_cached)
        return price_of(self.model)


def read_options(given: Mapping[str, str]) -> CompletionOptions:
    """Options of the command line over those of a configuration; a UsageError for a wrong one."""
    options: dict[str, Any] = dict(given)
    base = _configuration(options.pop("config")) if "config" in options else {}
    unknown = [name for name in options if name not in CompletionOptions.model_fields]
    if unknown:
        known = ", ".join(["config", *CompletionOptions.model_fields])
        raise UsageError(f"generator 'completion' has no option {unknown[0]!r}; known: {known}")
    try:
        return CompletionOptions.model_validate({**base, **options})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        name = ".".join(map(str, first["loc"]))
        text = first["msg"].removeprefix("Value error, ")
        raise UsageError(f"option {name}: {text}" if name else f"options: {text}") from error


def configurations() -> tuple[str, ...]:
    """The names of those that Assay brings."""
    return tuple(sorted(one.stem for one in _CONFIGS.glob("*.toml")))


def _configuration(name: str) -> dict[str, Any]:
    """Options of a file; its `about` is for people."""
    path = Path(name) if "/" in name or name.endswith(".toml") else _CONFIGS / f"{name}.toml"
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        known = ", ".join(configurations())
        raise UsageError(f"no configuration '{name}'; known: {known}, or a TOML file") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the configuration {name}: {reason_of(error)}") from error
    found.pop("about", None)
    return found
