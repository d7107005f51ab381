"""A real HTTP server that answers like a language model, from a script.

    with ScriptedEndpoint([Said(fenced(GOOD)), Refused(429, {"Retry-After": "7"})]) as endpoint:
        options = {"model": "scripted", "base_url": endpoint.openai_url, "api_key_env": ""}

It speaks chat completions and messages, whole and streamed. The last step of a script is repeated.
A script may be a function of what was asked. Everything that was asked is kept in `asked`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples"
PART = 40  # characters of one streamed event


@dataclass(frozen=True)
class Said:
    """An answer. `cut_after` characters the connection is closed; `held` waits to be let go."""

    text: str
    finish: str = "stop"
    usage: dict[str, Any] | None = field(default_factory=lambda: {"in": 100, "out": 50})
    cut_after: int | None = None
    held: bool = False
    model: str = "scripted-2026"


@dataclass(frozen=True)
class Refused:
    """A status that is no answer."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: str = '{"error": {"message": "scripted refusal"}}'


@dataclass(frozen=True)
class Malformed:
    """A body that is no answer of any API."""

    body: str = '{"choices": []}'


Step = Said | Refused | Malformed


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return "\n".join(one["content"] for one in self.body["messages"])


Script = Sequence[Step] | Callable[[Asked], Step]


def fenced(source: str, language: str = "python") -> str:
    return f"Here is the kernel.\n\n```{language}\n{source}```\n\nIt should be fast."


def example(task: str, label: str) -> str:
    """The first example of a task with a label, as an answer."""
    found = sorted((EXAMPLES / task).glob(f"{label}__*"))[0]
    return fenced(found.read_text(), "cpp" if found.suffix == ".cpp" else "python")


class ScriptedEndpoint:
    """The server, on a free port of this machine."""

    def __init__(self, script: Script) -> None:
        self._script, self._lock = script, threading.Lock()
        self.asked: list[Asked] = []
        self.let_go = threading.Event()
        owner = self

        class Handler(_Handler):
            endpoint = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def openai_url(self) -> str:
        return f"{self.base_url}/v1"

    def next(self, asked: Asked) -> Step:
        with self._lock:
            self.asked.append(asked)
            number = len(self.asked) - 1
        if callable(self._script):
            return self._script(asked)
        return self._script[min(number, len(self._script) - 1)]

    def __enter__(self) -> ScriptedEndpoint:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.let_go.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    endpoint: ScriptedEndpoint

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.path, headers, json.loads(self.rfile.read(length)))
        step = self.endpoint.next(asked)
        if isinstance(step, Refused):
            self._send(step.status, step.body, step.headers)
        elif isinstance(step, Malformed):
            self._send(200, step.body)
        else:
            self._answer(step, asked)

    def _answer(self, step: Said, asked: Asked) -> None:
        if step.held:
            self.endpoint.let_go.wait(30)
        shape = _messages if asked.path.endswith("/messages") else _completions
        if asked.body.get("stream"):
            self._stream(shape(step, asked), step.cut_after is not None)
        else:
            text = json.dumps((_message if shape is _messages else _completion)(step))
            cut = step.cut_after
            self._send(200, text if cut is None else text[:cut], declared=len(text.encode()))

    def _send(
        self, status: int, body: str, headers: dict[str, str] | None = None, declared: int = 0
    ) -> None:
        data = body.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(declared or len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, events: Iterator[tuple[str, dict[str, Any] | str]], cut: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.end_headers()
        for name, event in events:
            data = event if isinstance(event, str) else json.dumps(event)
            head = f"event: {name}\n" if name else ""
            self.wfile.write(f"{head}data: {data}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True


def _parts(step: Said) -> list[str]:
    text = step.text if step.cut_after is None else step.text[: step.cut_after]
    return [text[n : n + PART] for n in range(0, len(text), PART)]


def _completions(step: Said, asked: Asked) -> Iterator[tuple[str, dict[str, Any] | str]]:
    base = {"id": "chat-1", "model": step.model}
    for part in _parts(step):
        yield "", base | {"choices": [{"index": 0, "delta": {"content": part}}]}
    if step.cut_after is not None:
        return
    yield "", base | {"choices": [{"index": 0, "delta": {}, "finish_reason": step.finish}]}
    if step.usage and asked.body.get("stream_options", {}).get("include_usage"):
        yield "", base | {"choices": [], "usage": _usage_completions(step.usage)}
    yield "", "[DONE]"


def _completion(step: Said) -> dict[str, Any]:
    message = {"role": "assistant", "content": step.text}
    found = {
        "id": "chat-1",
        "model": step.model,
        "choices": [{"index": 0, "message": message, "finish_reason": step.finish}],
    }
    return found | ({"usage": _usage_completions(step.usage)} if step.usage else {})


def _usage_completions(usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "prompt_tokens": usage["in"],
        "completion_tokens": usage["out"],
        "prompt_tokens_details": {"cached_tokens": usage.get("cached", 0)},
        "completion_tokens_details": {"reasoning_tokens": usage.get("thinking", 0)},
    }


def _messages(step: Said, asked: Asked) -> Iterator[tuple[str, dict[str, Any] | str]]:
    usage = step.usage or {}
    started = {"id": "msg-1", "model": step.model, "usage": _usage_messages(usage, 1)}
    yield "message_start", {"type": "message_start", "message": started}
    for kind, name, parts in (
        ("thinking_delta", "thinking", ["let me think"]),
        ("text_delta", "text", _parts(step)),
    ):
        for part in parts:
            delta = {"type": kind, name: part}
            yield "content_block_delta", {"type": "content_block_delta", "delta": delta}
    if step.cut_after is not None:
        return
    ended = {"stop_reason": "max_tokens" if step.finish == "length" else "end_turn"}
    counts = {"output_tokens": usage["out"]} if usage else {}
    yield "message_delta", {"type": "message_delta", "delta": ended, "usage": counts}
    yield "message_stop", {"type": "message_stop"}


def _message(step: Said) -> dict[str, Any]:
    usage = step.usage or {}
    return {
        "id": "msg-1",
        "type": "message",
        "model": step.model,
        "content": [
            {"type": "thinking", "thinking": "let me think"},
            {"type": "text", "text": step.text},
        ],
        "stop_reason": "max_tokens" if step.finish == "length" else "end_turn",
        "usage": _usage_messages(usage, usage.get("out", 0)),
    }


def _usage_messages(usage: dict[str, Any], written: int) -> dict[str, Any]:
    if not usage:
        return {}
    cached = usage.get("cached", 0)
    return {
        "input_tokens": usage["in"] - cached,
        "cache_read_input_tokens": cached,
        "output_tokens": written,
    }
