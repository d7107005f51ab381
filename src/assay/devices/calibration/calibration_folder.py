"""The calibrations kept on this machine, one file a device and software stack.

The rule: a file that cannot be read is no calibration; a folder that cannot be written costs the
next command some seconds, and nothing else.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assay.data.device import Calibration, Device, KeptCalibration
from assay.data.record import content_id


@dataclass(frozen=True)
class CalibrationFolder:
    """Where calibrations are kept."""

    path: Path

    @classmethod
    def of_user(cls) -> CalibrationFolder:
        """In the user's cache, as the XDG base directories have it."""
        given = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(given) if os.path.isabs(given) else Path.home() / ".cache"
        return cls(base / "assay" / "calibration")

    def load(self, device: Device) -> Calibration | None:
        """What was kept for this device under this driver and torch."""
        torch = _torch_version()
        try:
            text = self._file(device, torch).read_text(encoding="utf-8")
            kept = KeptCalibration.model_validate_json(text)
        except (OSError, UnicodeDecodeError, ValidationError):
            return None
        return kept.calibration

    def save(self, device: Device, calibration: Calibration) -> bool:
        """Keep it, whole or not at all; False where that could not be done."""
        torch = _torch_version()
        kept = KeptCalibration(device=device, torch=torch, calibration=calibration)
        file = self._file(device, torch)
        unfinished = file.with_suffix(f".{os.getpid()}")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            unfinished.write_text(kept.model_dump_json(indent=1) + "\n", encoding="utf-8")
            unfinished.replace(file)
        except OSError:
            return False
        return True

    def _file(self, device: Device, torch: str) -> Path:
        identity = (device.kind, device.name, device.uuid or "", str(device.cores))
        return self.path / f"{content_id(*identity, device.driver or '', torch)}.json"


def _torch_version() -> str:
    import torch  # takes seconds, and is here already where a GPU was looked for

    return str(torch.__version__)
