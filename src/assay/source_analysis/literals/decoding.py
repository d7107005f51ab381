"""Decoding: text that was encoded by a constant is worked out, so that hidden code is read.

The rule: only pure functions of constants, never more than a quarter of a megabyte of them.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import codecs
import lzma
import zlib
from collections.abc import Callable

_MOST_BYTES = 250_000


def _inflate(data: bytes) -> bytes:
    return zlib.decompressobj().decompress(data, _MOST_BYTES)


def _gunzip(data: bytes) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(data, _MOST_BYTES)


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "base64.b64decode": base64.b64decode,
    "base64.standard_b64decode": base64.b64decode,
    "base64.decodebytes": base64.b64decode,
    "base64.urlsafe_b64decode": base64.urlsafe_b64decode,
    "base64.b32decode": base64.b32decode,
    "base64.b16decode": base64.b16decode,
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": base64.a85decode,
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.unhexlify,
    "binascii.a2b_base64": binascii.a2b_base64,
    "builtins.bytes.fromhex": lambda data: bytes.fromhex(data.decode("latin-1")),
    "builtins.bytearray.fromhex": lambda data: bytes.fromhex(data.decode("latin-1")),
    "zlib.decompress": _inflate,
    "gzip.decompress": _gunzip,
    "bz2.decompress": lambda data: bz2.BZ2Decompressor().decompress(data, _MOST_BYTES),
    "lzma.decompress": lambda data: lzma.LZMADecompressor().decompress(data, _MOST_BYTES),
    "builtins.bytes": lambda data: data,
    "builtins.bytearray": lambda data: data,
}
_BYTE_CODECS = frozenset("hex hex_codec base64 base64_codec utf8 utf-8 ascii latin-1".split())


def decodes(name: str) -> bool:
    """True where a dotted name turns encoded bytes into others."""
    return name in _DECODERS or name == "codecs.decode"


def decode(name: str, constants: list[object]) -> bytes | str | None:
    """What such a call yields; None where it cannot be worked out."""
    if not constants or not isinstance(constants[0], str | bytes):
        return None
    data = (
        constants[0].encode("latin-1", "replace") if isinstance(constants[0], str) else constants[0]
    )
    if len(data) > _MOST_BYTES:
        return None
    try:
        if name == "codecs.decode":
            return _by_codec(constants)
        return _DECODERS[name](data)
    except (ValueError, zlib.error, lzma.LZMAError, OSError, EOFError):
        return None


def _by_codec(constants: list[object]) -> bytes | str | None:
    text, codec = constants[0], constants[1] if len(constants) > 1 else "utf-8"
    if not isinstance(codec, str):
        return None
    if isinstance(text, str) and codec.lower() in ("rot13", "rot_13"):
        return codecs.decode(text, "rot13")
    if isinstance(text, bytes) and codec.lower() in _BYTE_CODECS:
        found: object = codecs.decode(text, codec)
        return found if isinstance(found, str | bytes) else None
    return None
