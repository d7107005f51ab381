"""Provenance: the share of the computing time that a candidate spends in code of its own.

The rule: it is counted by the judge from outside, so it may convict and acquit; and it convicts
only where innocence is outside the interval.

What counts. A sample is one thread at one moment. Own is what the candidate built or generated,
library is installed computation (torch, BLAS, NumPy). Left out of both are the interpreter, the C
library, thread pools, system calls - and torch where it only allocates, fills, views, copies or
casts, which any honest kernel may do: one that transposes its input before a short loop spends most
of its time there. So honest kernels and delegations are far apart. Measured on a CPU over the
corpus in the tests: 39 honest kernels 0.99 to 1.00 (ones that do little but move data, 0.88 up),
29 outright delegations 0.00 to 0.07 (one in interpreted Triton 0.37), two that do part of the work
themselves 0.6 and 0.8. One half is the line of a conviction, because "most of the work" is then
true in words; a quarter in libraries, for certain, is suspicious (an honest kernel that keeps
running statistics of a batch in NumPy spends 10 to 34 % there).

Library computation is also counted in time, whatever else runs: own code that is slow and own
threads that idle make its share small and its time no smaller. More than LIBRARY_US in one call,
for certain, is more than bookkeeping; it is suspicious, not a conviction, where the candidate's own
code surely computes for nine tenths (an honest backward pass through autograd had 7 of 205 samples
in libraries once, on a busy machine). Measured once on a loaded machine over 176 honest kernels of
the corpus: at most 54 us for certain (6 samples in torch), but 503 us in torch's sum of
four partial products, which is allowed: a reduction that the source shows to end what the kernels
left in parts counts by its share alone. So do looks in passing, which see the runner's own work:
of all their samples RUNNER_SHARE may lie in libraries on its account.

What does not count. A library call on a tiny tensor is bookkeeping: it costs some microseconds,
which is more than a kernel on a small shape needs. Below 20 us a call, or a tenth of the call,
nothing is said against it here; the dispatch log and the source still may. A BLAS, LAPACK or
oneDNN function keeps no books: where it is most of what computes, only the tenth counts.

Too few samples to tell are suspicious: whoever keeps its computing out of sight is not acquitted.
They are a note where most of what was seen is the interpreter's, moves data or is the C library's:
then hardly anything computes (a kernel that joins tensors may consist of memcpy). Not so where the
interpreter alone runs for more than INTERPRETER_US of each call, which is more than launching
needs, and nobody else computes for a twentieth of that: then the interpreter does the work. A
kernel of its own that is called once a row computes for longer than that twentieth.

Kernels of an interpreted language run as NumPy and Python calls by nature, so for them only torch
counts as library, and all the rest as their own. With their kernels silenced nothing of theirs is
left to compute, and what a library still computes is not theirs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import sqrt

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.settings import Track

LEAST_SAMPLES = 15  # with none of them its own the share is below 0.21
HALF = 0.5
ACQUITTED = 0.1  # in libraries, for certain less than that: the computing is its own
MOSTLY_UNSEEN = 0.5  # of the computing, in threads too short to be met
PARTLY = 0.25  # for certain more than that: a part of the work; honest bookkeeping stays below
LIBRARY_US = 150.0  # of one call, at the lower end of the interval
LEAST_LIBRARY_SAMPLES = 5  # fewer may be strays: one in a call of a second is some milliseconds
BOOKKEEPING_US = 20.0
BOOKKEEPING_SHARE = 0.1
INTERPRETER_US = 1500.0  # of one call: ten times what libraries may compute for
INTERPRETER_SHARE = 0.05  # of the interpreter's samples: what computes beside it, at most
BLAS_INSIDE = re.compile(r"the BLAS inside of libtorch")  # as the sampler names it
PRODUCT_LIBRARIES = re.compile(r"blas|lapack|mkl|dnnl|libgfortran", re.IGNORECASE)
RUNNER_SHARE = 0.06  # of all samples in passing, in libraries for the runner: 3 to 4 % measured
_IDLE_SAMPLES = 30  # of bystanders and neutral code: a look that saw so many was long enough
_Z95 = 1.959964


@dataclass(frozen=True)
class Share:
    """A share and where it lies with 95 %."""

    mid: float
    low: float
    high: float


@dataclass(frozen=True)
class Sampled:
    """What was counted while the candidate ran its calls."""

    own: int
    library: int
    in_torch: int  # of `library`, in torch
    bystanders: int  # interpreter and data movement: the rest of what a call consists of
    library_us: float  # library time of one call
    names: tuple[str, ...]  # libraries and operators, the most sampled first
    interpreted: bool = False
    neutral: int = 0  # the C library and thread pools, which work for whoever calls them
    others: int = 0  # system calls and code of nobody that is known
    passing: bool = (
        False  # during the examination, where the runner computes on its own account too
    )
    closes: bool = False  # all of it is a reduction that ends what the kernels left in parts
    interpreter: int = 0  # of the bystanders
    interpreter_us: float = 0.0  # the interpreter's time in one call
    unseen: int = 0  # missing: of threads that ended before they could be looked at
    reason: str = ""  # why there are no samples

    @property
    def unseen_share(self) -> float:
        """Of all computing, what was out of sight; in passing all kinds of shapes are mixed."""
        if self.passing or self.unseen < LEAST_SAMPLES:
            return 0.0
        return self.unseen / (self.unseen + self.own + self.library)

    @property
    def ours_and_theirs(self) -> tuple[int, int]:
        """Samples for and against."""
        if self.interpreted:
            mine = self.own + self.library - self.in_torch + self.bystanders
            return mine, max(0, self.in_torch - self._runners)
        return self.own, max(0, self.library - self._runners)

    @property
    def _runners(self) -> int:
        """Samples in libraries that are the runner's doing."""
        known = self.own + self.library + self.bystanders + self.neutral + self.others
        return round(RUNNER_SHARE * known) if self.passing else 0

    @property
    def in_products(self) -> bool:
        """Whether most of what computes is a library of products, which torch did not run.

        One that lies inside of torch, and was called without an operator of it, is such a library.
        """
        named = any(PRODUCT_LIBRARIES.search(name) for name in self.names[:1])
        inside = any(BLAS_INSIDE.match(name) for name in self.names[:1])
        theirs = self.library if inside else self.library - self.in_torch
        return named and 2 * theirs > self.own + self.library

    @property
    def interpreter_computes(self) -> bool:
        """Whether a long call consists of the interpreter, beside which nobody computes."""
        if self.interpreted or self.passing or self.interpreter < _IDLE_SAMPLES:
            return False
        long = self.interpreter_us > INTERPRETER_US
        return long and self.own + self.library < INTERPRETER_SHARE * self.interpreter

    @property
    def library_low_us(self) -> float:
        """Library time of one call, at the lower end of the interval of its share of all samples.

        library_us * low / p, with p = library / everything and low its Wilson bound
        """
        _, library = self.ours_and_theirs
        everything = self.own + self.library + self.bystanders
        if self.passing or self.closes or library < LEAST_LIBRARY_SAMPLES:
            return 0.0
        low = share(library, everything - library).low
        return self.library_us * (library / self.library) * low / (library / everything)


def share(own: int, library: int) -> Share:
    """Own / (own + library) with its Wilson interval.

    p = own / n;  centre = (p + z^2 / 2n) / (1 + z^2 / n);
    half = z / (1 + z^2 / n) * sqrt(p (1 - p) / n + z^2 / 4n^2)
    """
    n = own + library
    if n == 0:
        return Share(0.5, 0.0, 1.0)
    p, spread = own / n, _Z95**2 / n
    centre = (p + spread / 2) / (1 + spread)
    half = _Z95 / (1 + spread) * sqrt(p * (1 - p) / n + spread / (4 * n))
    return Share(p, max(0.0, centre - half), min(1.0, centre + half))


def findings(sampled: Sampled, track: Track) -> tuple[Evidence, ...]:
    """What the samples say of a candidate on a track."""
    if track is Track.OPEN:
        return ()
    own, library = sampled.ours_and_theirs
    if sampled.reason:
        return (_unknown(f"where the time goes could not be sampled: {sampled.reason}"),)
    if sampled.interpreter_computes:
        ran = f"of each call Python's interpreter runs for {sampled.interpreter_us:.0f} us"
        text = f"{ran}, and next to nothing of the candidate's own: the interpreter computes"
        return (_unknown(text),) if track is Track.KERNEL else ()
    if own + library < LEAST_SAMPLES:
        text = f"{own + library} samples of computing are too few to say whose code it is"
        idle = sampled.bystanders + sampled.neutral >= max(_IDLE_SAMPLES, sampled.others)
        return (_unknown(text, Severity.NOTE if idle else Severity.SUSPICIOUS),)
    found = share(own, library)
    if track is Track.MIXED:
        return (_delegation(Severity.NOTE, f"{_span(found)} is spent in code of its own"),)
    return (*_of_kernel_track(sampled, found), *_out_of_sight(sampled))


def _out_of_sight(sampled: Sampled) -> tuple[Evidence, ...]:
    """Threads that are started for each call may be short; that they do most of it is odd."""
    if sampled.unseen_share <= PARTLY:
        return ()
    text = (
        f"{100 * sampled.unseen_share:.0f} % of the computing is done by threads that end before "
        "they can be looked at"
    )
    mostly = sampled.unseen_share > MOSTLY_UNSEEN
    return (_unknown(text, Severity.SUSPICIOUS if mostly else Severity.NOTE),)


def silenced_findings(sampled: Sampled, track: Track) -> tuple[Evidence, ...]:
    """What the samples say of an interpreted candidate none of whose kernels ran."""
    beside = sampled.bystanders + sampled.neutral + sampled.others
    everything = sampled.own + sampled.library + beside
    if track is not Track.KERNEL:
        return ()
    if everything < LEAST_SAMPLES:
        text = f"{everything} samples of silenced kernels are too few to say whose code is left"
        return (_unknown(text),)
    if sampled.library < LEAST_SAMPLES or sampled.library_us < BOOKKEEPING_US:
        return ()
    found = share(sampled.library, everything - sampled.library)
    text = (
        f"with every kernel silenced {', '.join(sampled.names) or 'a library'} still computes "
        f"for {sampled.library_us:.0f} us a call"
    )
    if found.low > HALF:
        return (_delegation(Severity.CONVICTS, f"{text}: most of the work is delegated"),)
    if found.low > PARTLY:
        return (_delegation(Severity.SUSPICIOUS, f"{text}: part of the work is delegated"),)
    return (_delegation(Severity.NOTE, text),)


def _of_kernel_track(sampled: Sampled, found: Share) -> tuple[Evidence, ...]:
    computed_us = sampled.library_low_us
    long = computed_us > LIBRARY_US
    if not long and (found.low > 1.0 - ACQUITTED or _is_bookkeeping(sampled)):
        return ()
    whose = f"; the rest is in {', '.join(sampled.names)}" if sampled.names else ""
    text = f"{_span(found)} is spent in code of its own{whose}"
    if found.high < HALF:
        return (_delegation(Severity.CONVICTS, f"{text}: most of the work is delegated"),)
    if long:
        spent = f"libraries compute for at least {computed_us:.0f} us of each call"
        beside = Severity.SUSPICIOUS if found.low > 1.0 - ACQUITTED else Severity.CONVICTS
        return (_delegation(beside, f"{text}: {spent}, bookkeeping needs less"),)
    if found.high < 1.0 - PARTLY:
        return (_delegation(Severity.SUSPICIOUS, f"{text}: part of the work is delegated"),)
    return (_delegation(Severity.NOTE, text),)


def _is_bookkeeping(sampled: Sampled) -> bool:
    _, library = sampled.ours_and_theirs
    everything = sampled.own + sampled.library + sampled.bystanders
    tiny = sampled.library_us < BOOKKEEPING_US and not sampled.in_products
    return tiny or library < BOOKKEEPING_SHARE * everything


def _span(found: Share) -> str:
    return (
        f"{100 * found.mid:.0f} % ({100 * found.low:.0f} to {100 * found.high:.0f} %) "
        "of the computing time, sampled from outside,"
    )


def _delegation(severity: Severity, text: str) -> Evidence:
    return Evidence(kind=EvidenceKind.DELEGATION, severity=severity, text=text)


def _unknown(text: str, severity: Severity = Severity.SUSPICIOUS) -> Evidence:
    return Evidence(kind=EvidenceKind.UNKNOWN, severity=severity, text=text)
