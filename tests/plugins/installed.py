"""Installs the outside distribution of this folder below a temporary one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

NAME = "assay-outside"
ENTRY_POINTS = {
    "assay.languages": {"outside_c": "outside_language:OutsideLanguage"},
    "assay.readers": {"outside_json": "outside_reader:OutsideReader"},
    "assay.devices": {"second_cpu": "outside_device:OutsideDevice"},
    "assay.checks": {"outside_count": "outside_check:CHECK"},
}


def install(site: Path, points: Mapping[str, Mapping[str, str]], name: str = NAME) -> Path:
    """The files and metadata that an installer would leave in `site`."""
    shutil.copytree(Path(__file__).parent / "distribution", site, dirs_exist_ok=True)
    write_metadata(site, name, points)
    return site


def write_metadata(site: Path, name: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """The metadata alone."""
    about = site / f"{name.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    sections = [
        "\n".join([f"[{group}]", *(f"{key} = {value}" for key, value in entries.items())])
        for group, entries in points.items()
    ]
    about.joinpath("entry_points.txt").write_text("\n".join(sections) + "\n")
