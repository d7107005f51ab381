"""KnownAnswers: right answers that were compared with an expectation before, bit for bit.

The rule: only the very same bytes count, and only where they were found right; so what is kept can
be told from a comparison by nothing but its time. An honest kernel gives the same bits for the same
question, and the next candidate of the task often gives them too. To compare a million elements
takes 8 ms of a processor, to find that they are the same bytes 0.5 ms.
"""

from __future__ import annotations

import ctypes

import torch

from assay.data.observations.call import ErrorSummary

_LEAST_ELEMENTS = 1 << 14  # of fewer a comparison costs no more than keeping them
_MOST_ELEMENTS = 1 << 24  # of more an exam would keep too much memory
_KEPT = 2  # answers of one expectation
_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


class KnownAnswers:
    """Of one expectation."""

    def __init__(self) -> None:
        self._kept: tuple[tuple[torch.Tensor, ErrorSummary], ...] = ()  # the last used first

    def __reduce__(self) -> tuple[type[KnownAnswers], tuple[()]]:
        """An expectation that another process gets begins without any."""
        return KnownAnswers, ()

    def summary(self, actual: torch.Tensor) -> ErrorSummary | None:
        """What comparing would say again; None where these bytes were not compared, or wrong."""
        if not _bears(actual):
            return None
        for one in self._kept:
            if _same_bytes(one[0], actual):
                self._keep(one)
                return one[1]
        return None

    def note(self, actual: torch.Tensor, summary: ErrorSummary) -> None:
        """An answer that was compared."""
        if summary.ok and _bears(actual):
            self._keep((actual.detach().clone(), summary))

    def _keep(self, found: tuple[torch.Tensor, ErrorSummary]) -> None:
        others = tuple(one for one in self._kept if one is not found)
        self._kept = (found, *others)[:_KEPT]


def _bears(actual: torch.Tensor) -> bool:
    """Whether bytes of it can be compared, and it pays."""
    lazy = actual.is_conj() or actual.is_neg()
    plain = actual.device.type == "cpu" and actual.is_contiguous() and not lazy
    return plain and _LEAST_ELEMENTS <= actual.numel() <= _MOST_ELEMENTS


def _same_bytes(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Zeros have signs, and a NaN is itself; `torch.equal` of bytes takes ten times as long."""
    if one.dtype != other.dtype or one.nbytes != other.nbytes:
        return False
    return int(_memcmp(one.data_ptr(), other.data_ptr(), one.nbytes)) == 0
