"""Leftovers: what is alive and at work in the candidate's processes when nobody asks anything.

The rule: it is looked for from outside, between two batches that are drawn in secret, so that no
call can be told from another. On a device a short look follows every batch until one has found it
at work. Beside other candidates a device at work tells nothing: then it is looked at after a few
batches and after all calls, and where it is at work once more while nobody else is. Beside
processes of others, whom nobody can ask to stand still, it is looked at several times.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager

from assay.checks.check_contract import Check, CheckContext
from assay.data.check import CheckDeclaration, CheckStage, Cost
from assay.data.evidence import EvidenceKind
from assay.data.observations.observation import CheckMissing, LeftoverSeen, Observation
from assay.devices.idle_probe import IdleProbe
from assay.exam.leftover_work import DEVICE_CHECK, left_at_work
from assay.sandbox.host.sandboxed_process import IDLE_WINDOW_S, SandboxedProcess
from assay.sandbox.host.session import Session

_IDLE_SHARE = 0.4  # of the silence: more computing than this is work that goes on
_MOST_THREADS = 64 + 8 * (os.cpu_count() or 1)  # a few pools of one thread a processor


def look_for_leftovers(context: CheckContext) -> list[Observation]:
    """After a batch: threads that compute, threads without end, a device at work."""
    session = context.session
    found: list[Observation] = []
    found += busy_threads(session.process, context.batch) if context.thorough else []
    if session.idle_probe is not None and not context.has_company and not _known(context):
        found += device_at_work(session.idle_probe, context.batch, context.thorough)
    return found


def _known(context: CheckContext) -> bool:
    return any(map(_is_of_device, context.script_runner.observations))


def _is_of_device(seen: Observation) -> bool:
    if isinstance(seen, CheckMissing):
        return seen.check == DEVICE_CHECK
    return isinstance(seen, LeftoverSeen) and seen.on_device


def busy_threads(process: SandboxedProcess, number: int) -> list[LeftoverSeen]:
    """After batch `number`: does something still compute, are there threads without end?"""
    when, found = f"after batch {number}", []
    busy_s = process.busy_while_idle_s()
    if busy_s > _IDLE_SHARE * IDLE_WINDOW_S:
        text = f"{1e3 * busy_s:.0f} ms of computing in {1e3 * IDLE_WINDOW_S:.0f} ms of silence"
        found.append(LeftoverSeen(when=when, processes=0, running_threads=1, text=text))
    threads = process.threads()
    if threads > _MOST_THREADS:
        text = f"{threads} threads alive while nobody asks anything"
        found.append(LeftoverSeen(when=when, processes=0, text=text))
    return found


def device_at_work(
    idle_probe: IdleProbe, number: int, sure: bool = True
) -> list[LeftoverSeen | CheckMissing]:
    """After batch `number`: is the device still at work? One look, or several to be sure."""
    busy_us = idle_probe.surely_busy_us() if sure else idle_probe.busy_us()
    return [] if busy_us is None else left_at_work(idle_probe, f"after batch {number}")


def device_left_at_work(
    session: Session, alone: AbstractContextManager[object]
) -> list[LeftoverSeen | CheckMissing]:
    """Beside other candidates: does the device come to rest?

    A device at rest is at rest whoever is there. One at work is looked at again within `alone`,
    while nobody else makes calls. The process runs meanwhile: a thread of it may queue the work.
    """
    idle_probe = session.idle_probe
    if idle_probe is None:
        return []
    session.process.thaw()
    if idle_probe.surely_busy_us() is None:
        return []
    with alone:
        session.process.thaw()
        return left_at_work(idle_probe, "with nobody else there")


CHECK = Check(
    CheckDeclaration(
        name="leftovers",
        text="Do threads or the device still compute after every call was called done?",
        kinds=(EvidenceKind.LEFTOVER,),
        cost=Cost.NOTHING,
        most=f"two looks of {1e3 * IDLE_WINDOW_S:.0f} ms; on a device a short one after each batch",
        stages=(CheckStage.AMONG_CALLS,),
        of_wrong=True,
    ),
    look_for_leftovers,
)
