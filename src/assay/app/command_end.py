"""How a command ends: an exit code, and at most one line on stderr.

The rule: a user's mistake is one line and exit code 2, never a traceback.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import typer

from assay.errors import AssayError, TaskError, Terminated, UsageError
from assay.report.control_characters import without_controls

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # nobody's bug, wherever it is met
NOT_ACCEPTED, USAGE, OUR_FAILURE, INTERRUPTED = 1, 2, 3, 130


def ended(command: Callable[[], Any]) -> int:
    """Turn every way a command can end into an exit code and at most one line.

    typer itself turns Ctrl-C into the code 130 once everything has been cleaned up.
    """
    try:
        code = command()
        sys.stdout.flush()
    except typer.TyperException as error:
        return _say(f"{_words(error)} ({_help_of(error)})", USAGE)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Terminated as signalled:
        return _say(str(signalled), signalled.code)
    except UsageError as error:
        return _say(str(error), USAGE)
    except TaskError as error:
        return _say(f"the task cannot be used: {error}", NOT_ACCEPTED)
    except AssayError as error:
        return _say(f"our own failure, not the candidate's: {error}", OUR_FAILURE)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            _leave_unwritten()
            return _say(f"our own failure, not the candidate's: {error.strerror}", OUR_FAILURE)
        traceback.print_exc()
        return _say(f"our own failure, please report it: {error!r}", OUR_FAILURE)
    if code == INTERRUPTED:
        return _say("interrupted", INTERRUPTED)
    return code if isinstance(code, int) else 0


def _leave_unwritten() -> None:
    """What stdout could not take is not tried again when the interpreter ends."""
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())


def _words(error: typer.TyperException) -> str:
    return error.format_message().replace("Value error, ", "")


def _help_of(error: typer.TyperException) -> str:
    """The help that shows what would have been right: that of the command."""
    context = getattr(error, "ctx", None)
    return f"{context.command_path} --help" if context is not None else "assay --help"


def _say(message: str, code: int) -> int:
    print("assay: " + without_controls(" ".join(message.split())), file=sys.stderr)  # noqa: T201
    return code
