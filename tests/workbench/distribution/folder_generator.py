"""A generator that answers with the files of a folder, one after the other, and pays for each.

It writes a line into `paid` before each call is answered: what a provider would bill. With `wait_s`
it is slow before and after the call, so that a test can kill it there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from assay.data.generation.search_event import LlmCall
from assay.generators.candidate_generator import (
    CandidateGenerator,
    GenerationRequest,
    Proposal,
    Tell,
)
from assay.generators.candidate_source import NoCandidate
from assay.languages.candidate_file import load_candidate


class FolderGenerator(CandidateGenerator):
    name = "folder"

    def __init__(self, options: Mapping[str, str] | None = None) -> None:
        self._options = options or {}

    def configured(self, options: Mapping[str, str]) -> Self:
        return type(self)(options)

    def propose(self, request: GenerationRequest, tell: Tell) -> Proposal | NoCandidate:
        key = f"{request.task.id}-{request.sample}"
        if key not in request.paid:
            self._wait()
            if "paid" in self._options:
                with Path(self._options["paid"]).open("a") as bill:
                    bill.write(f"{key}\n")
            tell(LlmCall(key=key, model="files", tokens_in=10, tokens_out=90, dollars=0.01))
            self._wait()
        files = sorted(Path(self._options["folder"]).iterdir())
        if request.sample >= len(files):
            return NoCandidate("the folder holds no more files")
        return Proposal(load_candidate(files[request.sample]))

    def _wait(self) -> None:
        time.sleep(float(self._options.get("wait_s", "0")))
