"""EvaluationServer: HTTP in front of a Judge: who may ask, how much, and how many at a time.

    POST /evaluate         judge one candidate; the answer comes when it is judged
    GET  /health           whether it serves, and what
    GET  /workers/status   how many are judged and wait

The rule: a request is bounded in size and time, and so is the number of those that wait. What comes
from a web page is refused: a browser on this machine is not its user.
"""

from __future__ import annotations

import hmac
import json
import threading
from concurrent.futures import CancelledError
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from pydantic import ValidationError

from assay import __version__
from assay.app.served.evaluate_route import EvaluateRequest, answer
from assay.data.settings import Settings
from assay.engine.judge import Judge
from assay.errors import AssayError, UsageError

_MOST_BYTES = 4 * 2**20
_MOST_DROPPED = 64 * 2**20
_SOCKET_S = 30.0  # for a request to arrive


@dataclass(frozen=True)
class ServedTerms:
    """On which terms requests are served."""

    settings: Settings
    token: str | None = None
    allow_references: bool = False
    most_waiting: int = 64


class Refusal(Exception):
    """Why a request is not served, with its status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status, self.text = status, text


class EvaluationServer(ThreadingHTTPServer):
    """Serves until it is shut down; closing it does not close the judge."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], judge: Judge, terms: ServedTerms) -> None:
        super().__init__(address, _EvaluationHandler)
        self.judge, self.terms = judge, terms
        self._places = threading.BoundedSemaphore(terms.most_waiting)
        self._taken, self._served, self._count = 0, 0, threading.Lock()

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes | bytearray) else host
        return f"http://{f'[{name}]' if ':' in name else name}:{port}"

    def evaluate(self, request: EvaluateRequest) -> dict[str, Any]:
        """The answer to one request; a Refusal where it is wrong or there is no place left."""
        if not self._places.acquire(blocking=False):
            raise Refusal(503, f"{self.terms.most_waiting} evaluations wait already")
        self._change(1)
        try:
            return self._judged(request)
        finally:
            self._change(-1)
            self._places.release()

    def counts(self) -> dict[str, Any]:
        """How it stands."""
        with self._count:
            return {"in_progress": self._taken, "served": self._served}

    def _judged(self, request: EvaluateRequest) -> dict[str, Any]:
        terms = self.terms
        limit_s = min(request.timeout or terms.settings.timeout_s, terms.settings.timeout_s)
        try:
            task = request.task(terms.allow_references)
            candidate = request.candidate(task)
            future = self.judge.submit(task, candidate, timeout_s=limit_s)
            verdict = future.result().verdict
        except UsageError as error:
            raise Refusal(400, str(error)) from error
        except (AssayError, CancelledError) as error:
            raise Refusal(500, f"our own failure: {error}") from error
        return answer(request, verdict).model_dump(mode="json")

    def _change(self, by: int) -> None:
        with self._count:
            self._taken += by
            self._served += by < 0


class _EvaluationHandler(BaseHTTPRequestHandler):
    """One connection."""

    server: EvaluationServer
    timeout = _SOCKET_S
    server_version = f"assay/{__version__}"
    sys_version = ""

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged: they hold code."""

    def do_GET(self) -> None:
        """State, without a token: it holds no code."""
        if self.path == "/health":
            settings = self.server.terms.settings
            found = {"status": "healthy", "assay": __version__, "device": settings.device}
            self._send(200, found | {"level": settings.level.value})
        elif self.path == "/workers/status":
            self._send(200, self.server.counts())
        else:
            self._refuse(Refusal(404, "known: POST /evaluate, GET /health, GET /workers/status"))

    def do_POST(self) -> None:
        """An evaluation."""
        try:
            self._check()
            request = EvaluateRequest.model_validate_json(self._body())
            found = self.server.evaluate(request)
        except ValidationError as error:
            first = error.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            self._refuse(Refusal(422, f"{place}: {first['msg']}".removeprefix(": ")))
        except Refusal as refusal:
            self._refuse(refusal)
        else:
            self._send(200, found)

    def _check(self) -> None:
        if self.path != "/evaluate":
            raise Refusal(404, "known: POST /evaluate, GET /health, GET /workers/status")
        if self.headers.get("Origin") is not None:
            raise Refusal(403, "web pages are not served")
        if self.headers.get_content_type() != "application/json":
            raise Refusal(415, "send application/json")
        token, given = self.server.terms.token, self.headers.get("Authorization", "")
        if token and not hmac.compare_digest(f"Bearer {token}".encode(), given.encode()):
            raise Refusal(401, "send the token: Authorization: Bearer TOKEN")

    def _body(self) -> bytes:
        text = self.headers.get("Content-Length", "")
        if not text.isdecimal():
            raise Refusal(411, "send Content-Length")
        if int(text) > _MOST_BYTES:
            self._drop(min(int(text), _MOST_DROPPED))
            raise Refusal(413, f"a request has at most {_MOST_BYTES} bytes")
        return self.rfile.read(int(text))

    def _drop(self, size: int) -> None:
        """A client reads no answer before it has sent its request."""
        while size > 0 and (part := self.rfile.read(min(size, 2**16))):
            size -= len(part)

    def _refuse(self, refusal: Refusal) -> None:
        self.close_connection = True  # what is left of the request is not read
        more = {"Retry-After": "5"} if refusal.status == 503 else {}
        self._send(refusal.status, {"detail": refusal.text}, more)

    def _send(
        self, status: int, document: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
