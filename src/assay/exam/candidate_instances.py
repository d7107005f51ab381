"""Instances: a candidate's modules and the weights each holds.

There is one of each constructor configuration, and others of it, its twins, where asked for: every
other one of them is a deep copy, which of the two comes first is secret. Of an operation that draws
random numbers none is a copy, and each is constructed with a seed of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.data.contract import Stochastic
from assay.exam.exam import Exam
from assay.exam.weight_scales import FIRST_WEIGHTS, SEEDED, Weights
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import ReplyCode, StateMatch

_TWINS = 1 << 16  # numbers of twins begin here; no plan has as many configurations


def twin_of(instance: int, number: int) -> int:
    """The n-th other instance of the same configuration; the zeroth is itself."""
    return instance + number * _TWINS


def _configuration(instance: int) -> int:
    return instance % _TWINS


@dataclass(frozen=True)
class ConstructorRefusal:
    """A constructor that raised."""

    message: str
    own_check: bool


class Instances:
    """Constructed when first needed, given their weights whenever others are asked for."""

    def __init__(self, exam: Exam, session: Session, on_seeded: Callable[[], None]) -> None:
        self._exam = exam
        self._session = session
        self._on_seeded = on_seeded
        self._constructed: set[int] = set()
        self._version: dict[int, Weights] = {}
        self._seeded: set[int] = set()  # those that keep what the common seed gave them
        self._refused: dict[int, ConstructorRefusal] = {}

    def adopt(self, instance: int) -> None:
        """Note one that was constructed and needs its first weights."""
        self._constructed.add(instance)

    def version(self, instance: int) -> Weights:
        """The version of its weights that an instance holds now."""
        return SEEDED if instance in self._seeded else self._version.get(instance, SEEDED)

    def refusal(self, instance: int) -> ConstructorRefusal | None:
        """What its constructor said, where that raised."""
        return self._refused.get(instance)

    def prepare(self, instance: int, wanted: Weights | None, deadline: Deadline) -> Weights:
        """Construct where needed, load the weights asked for; returns the version in force."""
        if instance not in self._constructed:
            self._construct(instance, deadline)
        version = wanted or self._version.get(instance, FIRST_WEIGHTS).ordinary
        if instance in self._refused:
            return version
        if instance in self._seeded:
            return SEEDED
        if self._version.get(instance) != version or self._exam.stateful:
            state = self._exam.state(_configuration(instance), version)
            match = self._session.load_state(instance, state, deadline)
            if match is StateMatch.NONE and state:
                self._seeded.add(instance)
                self._on_seeded()
                return SEEDED
            self._version[instance] = version
        return version

    def construct_again(self, instance: int, deadline: Deadline) -> ConstructorRefusal | None:
        """Call a constructor that raised once more; what it says now, if it raises still."""
        del self._refused[instance]
        self._construct(instance, deadline)
        return self._refused.get(instance)

    def _construct(self, instance: int, deadline: Deadline) -> None:
        spec = self._exam.instances[_configuration(instance)]
        request = spec.construct(instance)
        original = _configuration(instance)
        if original != instance and isinstance(
            self._exam.reference.task.contract, Stochastic
        ):  # one that takes its seed from the common generator takes another one
            request = replace(request, seed=self._exam.secret.seed("twin", instance))
        elif original != instance and original in self._constructed:
            first = self._exam.secret.random("copied", original).randrange(2)
            copied = (instance // _TWINS + first) % 2 == 0
            request = replace(request, copy_of=original if copied else None)
        reply = self._session.ask(request, deadline)
        self._constructed.add(instance)
        if reply.code != ReplyCode.OK:
            message = _last_words(self._session.statement())
            self._refused[instance] = ConstructorRefusal(message, reply.code != ReplyCode.BROKE)


def _last_words(statement: str) -> str:
    """Class and message at the end of a traceback; the message may have several lines."""
    lines = statement.strip().splitlines() or [""]
    named = [i for i, line in enumerate(lines) if re.match(r"[A-Za-z_][\w.]*(: |$)", line)]
    return "\n".join(lines[named[-1] if named else -1 :])
