"""Secret: the one random thing of a run, from which every draw follows and nothing leads back."""

from __future__ import annotations

import hashlib
import hmac
import random
import secrets
from dataclasses import dataclass


@dataclass(frozen=True)
class Secret:
    """Thirty-two bytes from the operating system, in hex. Never sent to a child."""

    hex: str

    @classmethod
    def draw(cls) -> Secret:
        """A new one."""
        return cls(secrets.token_hex(32))

    def derived(self, *labels: object) -> Secret:
        """Another secret for one purpose; who learns it learns nothing of this one."""
        return Secret(self._digest(*labels).hex())

    def seed(self, *labels: object) -> int:
        """A 62-bit seed for one purpose: HMAC-SHA256 of the labels under the secret."""
        return int.from_bytes(self._digest(*labels)[:8], "little") >> 2

    def _digest(self, *labels: object) -> bytes:
        message = "\x1f".join(str(label) for label in labels).encode()
        return hmac.new(bytes.fromhex(self.hex), message, hashlib.sha256).digest()

    def random(self, *labels: object) -> random.Random:
        """A generator for one purpose."""
        return random.Random(self.seed(*labels))
