"""CompileBeside: a candidate's kernels compiled while the candidate is judged.

Raising the compilers' wall and compiling takes five seconds for a Triton kernel, about as long as
the candidate's calls; nothing of a verdict's answers depends on it.

The rule: one wall for all candidates of a context, raised when the first kernel is to be compiled,
and one compilation at a time. A failure of ours here costs a level of the rubric, and says so.
"""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor

from assay.data.candidate import Candidate
from assay.data.observations.compilation import CompileReport
from assay.languages.architecture import Architecture
from assay.profile.compile.compile_only import AheadOfTimeCompiler


class CompileBeside:
    """A thread with a compiler."""

    def __init__(self, arch: Architecture) -> None:
        self._arch = arch
        self._compiler = AheadOfTimeCompiler()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="assay-compile")

    def start(self, candidate: Candidate) -> Future[CompileReport]:
        """Compile every kernel of it meanwhile."""
        return self._thread.submit(self._report, candidate)

    def close(self) -> None:
        """What has begun is waited for."""
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._compiler.close()

    def _report(self, candidate: Candidate) -> CompileReport:
        try:
            return self._compiler.compile(candidate, self._arch)
        except Exception as error:
            logging.getLogger(__name__).exception("compiling %s for the rubric", candidate.name)
            text = f"it could not be compiled: {type(error).__name__}: {error}"
            return CompileReport(candidate_id=candidate.id, arch=self._arch.name, reason=text)
