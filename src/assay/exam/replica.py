"""ReplicaFactory: another process of a candidate that was built before, with the same weights.

The rule: it is built as the first was, from the same files. One that does not build a second time
is done without; one that ends is the candidate's end. The others live until all are closed, so that
what was done to their state can still be seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.data.candidate import Candidate
from assay.data.settings import Settings
from assay.exam.build_cache import BuildCache
from assay.exam.candidate_build import Builder
from assay.exam.exam import Exam
from assay.exam.weight_scales import SEEDED, Weights
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall


@dataclass(frozen=True)
class ReplicaFactory:
    """Makes them, and keeps them until they are closed."""

    wall: Wall
    exam: Exam
    cache: BuildCache | None
    candidate: Candidate
    settings: Settings
    sessions: list[Session] = field(default_factory=list)  # that are alive

    def another(self, version: Weights) -> Session | None:
        """Built, and holding that version of the weights. Raises Lost where its process ends."""
        session = Session(self.wall)
        try:
            builder = Builder(self.exam, self.cache)
            if builder.build(session, self.candidate, self.settings).seen.ok:
                if version != SEEDED:
                    deadline = Deadline.after(self.settings.timeout_s)
                    session.load_state(0, self.exam.state(0, version), deadline)
                self.sessions.append(session)
                return session
        except ProcessLost:
            session.close()
            raise
        session.close()
        return None

    def close(self) -> None:
        """End them all."""
        while self.sessions:
            self.sessions.pop().close()


def stand_still(session: Session, replicas: ReplicaFactory | None) -> None:
    """Stop the process of a candidate, and all its others."""
    for one in (session, *(replicas.sessions if replicas is not None else ())):
        one.process.freeze()
