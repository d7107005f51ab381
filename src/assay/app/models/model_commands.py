"""The commands about whole models, added to the command line.

The rule: heavy imports stand inside the commands.
"""

from __future__ import annotations

import typer

from assay.app.flags import takes
from assay.app.models.model_flags import ApplyFlags, HotFlags


def add_model_commands(app: typer.Typer) -> None:
    """`assay hot` and `assay apply`."""
    app.command("hot")(takes(HotFlags)(_hot))
    app.command("apply")(takes(ApplyFlags)(_apply))


def _hot(flags: HotFlags) -> int:
    """Say where the time of a model goes, and cut out what is worth a kernel.

    Exit code: 0 profiled, 1 the model could not be run, 2 usage, 3 Assay itself failed.
    """
    from assay.app.models.hot_command import run

    return run(flags)


def _apply(flags: ApplyFlags) -> int:
    """Put accepted kernels back into a model, and judge and time it as a whole.

    Exit code: 0 all kernels and the model accepted, 1 at least one not, 2 usage, 3 Assay failed.
    """
    from assay.app.models.apply_command import run

    return run(flags)
