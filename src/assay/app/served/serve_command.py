"""`assay serve`: judge candidates that come over HTTP, until it is told to stop.

The rule: the address is printed once it listens. Ctrl-C ends it with every process of the judge.
"""

from __future__ import annotations

import json
import os
import sys

from assay.app.flag_settings import note, settings_from
from assay.app.served.evaluation_server import EvaluationServer, ServedTerms
from assay.app.served.serve_flags import ServeFlags
from assay.engine.judge import Judge
from assay.errors import UsageError

_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")


def run(flags: ServeFlags) -> int:
    """Listen and serve."""
    settings = settings_from(flags, None)
    token = os.environ.get(flags.token_env) if flags.token_env else None
    if flags.token_env and not token:
        raise UsageError(f"the environment variable {flags.token_env} is not set")
    if flags.host not in _THIS_MACHINE and not token:
        raise UsageError(f"--host {flags.host} is open to others: name a --token-env too")
    terms = ServedTerms(settings, token, flags.allow_references, flags.most_waiting)
    options = settings.model_dump(exclude={"device", "jobs"})
    with Judge(settings.device, flags.jobs, **options) as judge:
        try:
            server = EvaluationServer((flags.host, flags.port), judge, terms)
        except OSError as error:
            why = error.strerror or error
            raise UsageError(f"cannot listen on {flags.host}:{flags.port}: {why}") from error
        with server:
            _say(server.url, flags)
            server.serve_forever(poll_interval=0.1)
    return 0


def _say(url: str, flags: ServeFlags) -> None:
    if flags.json:
        sys.stdout.write(json.dumps({"url": url}) + "\n")
    else:
        sys.stdout.write(f"serves {url}/evaluate\n")
    sys.stdout.flush()
    if flags.allow_references:
        note("references of clients run as you, without a wall (--allow-references)")
