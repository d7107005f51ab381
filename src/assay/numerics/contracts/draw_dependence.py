"""Dependence of three and of four draws, any two of which are independent.

Who makes a number of two others by their sum modulo one, or all numbers of a matrix by one for each
row and one for each column, has pairs in which nothing shows, sums that scatter as they should, and
a fraction of the draws. Of a view x of n draws and a distance e, with q(i) = x(i) x(i + e),

    S(L) = sum of q(i) x(i + L)   or   sum of q(i) q(i + L)
    V(L) = p times the sum of the squares of all factors but the one that is drawn last

is a martingale: p is the largest sub-Gaussian proxy of a draw, and for every distance L

    P(S^2 / (V + r) - ln((V + r) / r) >= 2 ln(1 / a)) <= a           (de la Pena, Lai and Shao)

The rule: every L is asked by one transform, but few e: neighbours, and what a row is long.
Distances L at which a factor meets itself are left out.
"""

from __future__ import annotations

from math import log

import torch

_MOST = 1 << 14  # draws that are looked at
_LEAST = 1 << 10
_PRIOR = 64.0
_EXACT = torch.float32


def dependent(view: torch.Tensor, proxy: float, step: int, limit: float) -> tuple[float, int, int]:
    """The largest surprise in shares of `limit`, how many draws hang together, and how far apart.

    `limit` is log(2 / false alarm).
    """
    x = view[:_MOST].to(_EXACT)
    count = x.numel() - step
    if step < 1 or count < _LEAST:
        return 0.0, 0, 0
    pairs = x[:count] * x[step:]
    size = 1 << (x.numel() + count - 1).bit_length()
    of_pairs, of_x = torch.fft.rfft(pairs, size), torch.fft.rfft(x, size)
    squares = torch.fft.rfft(pairs.square(), size).conj()
    of_squares = torch.fft.rfft(x.square(), size)
    worst, found = 0.0, (0, 0)
    for many, other in ((3, of_x), (4, of_pairs)):
        sums = torch.fft.irfft(of_pairs.conj() * other, size)[:count]
        if many == 3:  # the last of the three is new, two make what was known
            known = torch.full_like(sums, float(pairs.square().sum()))
        else:  # the last of the second pair is new, and three are known
            known = torch.fft.irfft(squares * of_squares, size)[:count].clamp_min(0.0)
        widened = proxy * known + _PRIOR
        surprise = sums.square() / widened / 2.0 - (widened / _PRIOR).log() / 2.0
        surprise[0] = 0.0
        surprise[step : step + 1] = 0.0  # a row may be longer than what is left
        place = int(surprise.argmax())
        share = float(surprise[place]) / (limit + log(2 * count))
        if share > worst:
            worst, found = share, (many, place)
    return worst, *found
