"""SandboxedProcess: one candidate's process seen from outside: asked, timed, frozen, ended.

The rule: the host never waits for ever, never believes how a process says it ended, and always
leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from assay.data.observations.observation import EndCause
from assay.errors import HostError
from assay.languages.failure_line import last_words
from assay.sandbox.host.activity import queued_ns, runnable_seconds, thread_count, wants_processor
from assay.sandbox.host.deadline import Deadline, own_seconds
from assay.sandbox.host.process_tree import ProcessTree, proportional_bytes, resident_bytes
from assay.sandbox.host.zygote_handle import Tree
from assay.sandbox.protocol import wire
from assay.sandbox.protocol.replies import Reply
from assay.sandbox.protocol.requests import Request
from assay.sandbox.protocol.spawn_messages import Ended, Ready, SpawnRefused

_SLICE_S, _MOST_SLICE_S = 0.05, 0.2  # of one wait, after which the process is looked at
_READY_TIMEOUT_S = 30.0  # until a new process is confined
_IDLE_WINDOWS = 50  # looked at before work while idle is believed
_QUIET_SHARE = 0.1  # of a window: less computing than this is silence
IDLE_WINDOW_S = 0.01
_OUTPUT_TAIL_BYTES = 16_384  # of what it printed
_LAST_CHARACTERS = 200  # of what it printed, told of a process that ended
_AT_THE_CAP = "killed at the memory cap"
_NO_MEMORY = "std::bad_alloc"  # thrown where nobody catches it, such as in a thread of OpenMP's
_NAMED_SIGNALS = {number.value for number in signal.Signals}
KEPT_PROCESSES = 2  # the init process and the candidate's own


@dataclass(frozen=True)
class Caps:
    """What the host itself watches, whatever the kernel enforces."""

    memory_bytes: int
    processes: int


class ProcessLost(HostError):
    """The candidate's process ended, or was ended by us for this cause."""

    def __init__(self, cause: EndCause, code: int, text: str) -> None:
        super().__init__(text)
        self.cause = cause
        self.code = code
        self.text = text


class SandboxedProcess:
    """Requests go in; replies, outside times and ends come out."""

    def __init__(self, tree: Tree, processes: ProcessTree, caps: Caps) -> None:
        self._tree = tree
        self.processes = processes
        self._caps = caps
        self._sequence = 0
        self.waited_s = 0.0  # the candidate's own time: only what we wait for it counts
        self._queued: dict[str, int] = {}  # by thread, when it was last looked at
        self._queued_s = 0.0  # of the request that is being answered
        self.most_processes = 0
        self._frozen = False
        self.thawed = threading.Event()  # whoever looks at the tree need not while it stands still
        self.thawed.set()
        tree.init_channel.sendall(b"g")
        tree.init_channel.settimeout(_READY_TIMEOUT_S)
        self.scratch_path = ""  # as the candidate sees it
        self.scratch = self._await_ready()

    def _await_ready(self) -> int:
        try:
            message, descriptors = wire.receive(self._tree.init_channel)
        except (EOFError, OSError) as error:
            self.close()
            raise HostError(f"the sandbox did not come up: {self.output()}") from error
        if isinstance(message, SpawnRefused):
            self.close()
            raise HostError(f"the sandbox was refused: {message.text}")
        assert isinstance(message, Ready)
        return descriptors[0]

    def ask(
        self, request: Request, deadline: Deadline, descriptors: Sequence[int] = ()
    ) -> tuple[Reply, int]:
        """Send, let run, wait for the end; returns the reply and the outside nanoseconds.

        A frozen tree is thawed after the request lies ready, so the clock starts with the work.
        """
        start = self.begin(request, descriptors)
        return self.finish(start, deadline)

    def begin(self, request: Request, descriptors: Sequence[int] = ()) -> int:
        """Send and let run; returns when the clock started, in nanoseconds."""
        self._sequence += 1
        try:
            wire.send(self._tree.channel, request, descriptors)
        except OSError as error:
            raise self._how_it_ended() from error
        self._queued_s = 0.0
        start = time.perf_counter_ns()
        self.thaw()
        return start

    def finish(self, start: int, deadline: Deadline) -> tuple[Reply, int]:
        """Wait for the answer to what was begun."""
        try:
            data = self._await_reply(deadline)
        finally:
            end = time.perf_counter_ns()
            self.waited_s += own_seconds((end - start) / 1e9, self._queued_s)
        reply = Reply.unpack(data)
        if reply is None or reply.sequence != self._sequence:
            raise ProcessLost(EndCause.BROKE_PROTOCOL, 0, "an answer came that nobody asked for")
        return reply, end - start

    def answered(self) -> bool:
        """Whether an answer, or the end of the process, is there to be read."""
        poller = select.poll()
        poller.register(self._tree.channel, select.POLLIN)
        poller.register(self._tree.init_channel, select.POLLIN)
        return bool(poller.poll(0))

    def freeze(self) -> None:
        """Stop the whole tree."""
        if not self._frozen:
            self.processes.freeze()
            self._frozen = True
            self.thawed.clear()

    def thaw(self) -> None:
        """Let the whole tree run."""
        if self._frozen:
            self._frozen = False
            self.processes.thaw()
            self.thawed.set()

    def busy_while_idle_s(self) -> float:
        """Time per window for which the tree computes, or would, though it has nothing to do.

        Thread pools spin for up to some 30 ms after their last task, so the first quiet window
        ends the wait. The kernel counts waiting when it ends: who is waiting now is not quiet.
        """
        self.thaw()
        first = before = self._runnable_s()
        for _ in range(_IDLE_WINDOWS):
            time.sleep(IDLE_WINDOW_S)
            now = self._runnable_s()
            busy_s, before = now - before, now
            if busy_s < _QUIET_SHARE * IDLE_WINDOW_S and not self._wants_processor():
                return busy_s
        return (before - first) / _IDLE_WINDOWS

    @property
    def init_pid(self) -> int:
        """Process 1 of the tree, as the host numbers it."""
        return self._tree.pid

    def threads(self) -> int:
        """Threads alive in the tree, asleep or not."""
        return sum(thread_count(pid) for pid in self.processes.pids())

    def _runnable_s(self) -> float:
        return sum(runnable_seconds(pid) for pid in self.processes.pids())

    def _wants_processor(self) -> bool:
        return any(wants_processor(pid) for pid in self.processes.pids())

    def output(self) -> str:
        """The end of what the candidate printed. Text for people."""
        size = os.fstat(self._tree.output).st_size
        start = max(0, size - _OUTPUT_TAIL_BYTES)
        return os.pread(self._tree.output, _OUTPUT_TAIL_BYTES, start).decode("utf-8", "replace")

    def close(self) -> None:
        """End the tree and give back everything."""
        with contextlib.suppress(OSError):
            self.processes.kill()
        for end in (self._tree.channel, self._tree.init_channel):
            end.close()
        for descriptor in (self._tree.output, getattr(self, "scratch", -1)):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _await_reply(self, deadline: Deadline) -> bytes:
        """Wait in slices, looking at the tree's size in between."""
        poller = select.poll()
        poller.register(self._tree.channel, select.POLLIN)
        poller.register(self._tree.init_channel, select.POLLIN)
        slice_s = _SLICE_S
        while True:
            ready = {fd for fd, _ in poller.poll(slice_s * 1000)}
            slice_s = min(_MOST_SLICE_S, 2 * slice_s)
            if self._tree.channel.fileno() in ready:
                return self._read_reply()
            if self._tree.init_channel.fileno() in ready:
                raise self._how_it_ended()
            processes, queued_s = self._check_caps(), self._queued_since()
            self._queued_s += queued_s
            if deadline.passed(processes > KEPT_PROCESSES, queued_s):
                raise ProcessLost(EndCause.TIMED_OUT, 0, "no answer within the time limit")

    def _queued_since(self) -> float:
        """For how long some thread waited for a processor since this was asked last."""
        now = {path: ns for pid in self.processes.pids() for path, ns in queued_ns(pid).items()}
        grown = [ns - self._queued[path] for path, ns in now.items() if path in self._queued]
        self._queued = now
        return max(grown, default=0) / 1e9

    def _read_reply(self) -> bytes:
        self._tree.channel.settimeout(1.0)
        try:
            return wire.receive_exactly(self._tree.channel, Reply.FORMAT.size)
        except (EOFError, ConnectionError) as error:
            raise self._how_it_ended() from error
        except TimeoutError as error:
            raise ProcessLost(EndCause.BROKE_PROTOCOL, 0, "half an answer came") from error
        finally:
            self._tree.channel.settimeout(None)

    def _check_caps(self) -> int:
        pids = self.processes.pids()
        self.most_processes = max(self.most_processes, len(pids))
        if len(pids) > self._caps.processes + KEPT_PROCESSES:
            text = f"{len(pids) - KEPT_PROCESSES} processes at once; {self._caps.processes} allowed"
            raise ProcessLost(EndCause.PROCESS_LIMIT, 0, text)
        cap = self._caps.memory_bytes
        if sum(map(resident_bytes, pids)) > cap and sum(map(proportional_bytes, pids)) > cap:
            text = f"more than {self._caps.memory_bytes >> 20} MiB resident"
            raise ProcessLost(EndCause.OUT_OF_MEMORY, 0, text)
        if self.processes.out_of_memory_kills():  # one of several; what waits for it waits long
            raise ProcessLost(EndCause.OUT_OF_MEMORY, 0, _AT_THE_CAP)
        return len(pids)

    def _how_it_ended(self) -> ProcessLost:
        """Ask the init process, whose word is the kernel's."""
        self._tree.init_channel.settimeout(2.0)
        try:
            message, _ = wire.receive(self._tree.init_channel)
        except (EOFError, OSError):
            message = None
        if not isinstance(message, Ended):
            return ProcessLost(EndCause.BROKE_PROTOCOL, 0, "the channel was closed from inside")
        code = os.waitstatus_to_exitcode(message.status)
        if code >= 0:
            text = f"the process exited with code {code}{self._last_words()}"
            return ProcessLost(EndCause.EXITED, code, text)
        if code == -signal.SIGKILL and self.processes.out_of_memory_kills():
            return ProcessLost(EndCause.OUT_OF_MEMORY, -code, _AT_THE_CAP)
        name = signal.Signals(-code).name if -code in _NAMED_SIGNALS else f"signal {-code}"
        text = f"the process was ended by {name}{self._last_words()}"
        exhausted = code == -signal.SIGABRT and _NO_MEMORY in text
        return ProcessLost(EndCause.OUT_OF_MEMORY if exhausted else EndCause.SIGNALLED, -code, text)

    def _last_words(self) -> str:
        """What it printed last: what was thrown, or what was asserted, stands there."""
        words = last_words(self.output())[:_LAST_CHARACTERS]
        printable = "".join(one if one.isprintable() else " " for one in words)
        return f"; it last printed: {printable}" if printable else ""
