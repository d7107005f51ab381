"""DevicePage: what is known of a family of devices: limits, instructions, what is fast.

Pages are the files of `pages/`. A page fits where each of its patterns is found in what the device
says of itself; of several the one that asks for the most patterns is taken.

The rule: a fact without a source is not on a page. Where no page fits there is none: nothing is
guessed.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.data.device import Device

_PAGES = Path(__file__).with_name("pages")
_CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class HardwareFact:
    """One fact, and who says so."""

    topic: str  # "limit", "instruction", "fast", "slow"
    text: str
    source: str


@dataclass(frozen=True)
class DevicePage:
    """The page of one family."""

    name: str
    title: str
    kind: str  # of devices: "cpu", "cuda"
    patterns: tuple[str, ...]  # each must be found in the device's words
    facts: tuple[HardwareFact, ...]

    def fits(self, kind: str, words: str) -> bool:
        """Whether it is about a device of this kind with these words."""
        return kind == self.kind and all(
            re.search(one, words, re.IGNORECASE) for one in self.patterns
        )

    def text(self, topics: tuple[str, ...] = ()) -> str:
        """The facts as lines; of some topics only where these are named."""
        lines = [f"- {one.text}" for one in self.facts if not topics or one.topic in topics]
        return "\n".join([f"{self.title}:", *lines])


@cache
def device_pages() -> tuple[DevicePage, ...]:
    """All pages, by file name."""
    return tuple(_read(path) for path in sorted(_PAGES.glob("*.toml")))


def page_of(device: Device, features: str | None = None) -> DevicePage | None:
    """The page of a device; None where none fits.

    `features` are a processor's flags; they are read from Linux where they are not given.
    """
    if features is None:
        features = processor_features() if device.kind == "cpu" else ""
    words = f"{device.name} {device.architecture} {features}"
    fitting = [one for one in device_pages() if one.fits(device.kind, words)]
    return max(fitting, key=lambda one: len(one.patterns), default=None)


def processor_features(path: Path = _CPU_INFO) -> str:
    """The flags of the first processor that Linux lists; empty where it lists none."""
    if not path.exists():
        return ""
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", path.read_text(), re.MULTILINE)
    return found.group(1) if found else ""


def _read(path: Path) -> DevicePage:
    with path.open("rb") as file:
        entry = tomllib.load(file)
    sources = entry["sources"]
    return DevicePage(
        name=path.stem,
        title=entry["title"],
        kind=entry["kind"],
        patterns=tuple(entry["patterns"]),
        facts=tuple(
            HardwareFact(one["topic"], one["text"], sources[one["source"]])
            for one in entry["facts"]
        ),
    )
