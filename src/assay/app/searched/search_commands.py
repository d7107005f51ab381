"""The commands that ask generators, added to the command line.

The rule: heavy imports stand inside the commands.
"""

from __future__ import annotations

import typer

from assay.app.flags import takes
from assay.app.searched.search_flags import BenchFlags, SearchFlags


def add_search_commands(app: typer.Typer) -> None:
    """`assay search` and `assay bench`."""
    app.command("search")(takes(SearchFlags)(_search))
    app.command("bench")(takes(BenchFlags)(_bench))


def _search(flags: SearchFlags) -> int:
    """Ask generators for candidates, judge each, and confirm the best; goes on where it stopped.

    Exit code: 0 every task has a confirmed winner, 1 at least one has none, 2 usage, 3 Assay
    itself failed.
    """
    from assay.app.searched.search_command import run

    return run(flags)


def _bench(flags: BenchFlags) -> int:
    """Run a generator over a suite and score it; with --ablate, say what something is worth.

    Exit code: 0 done, 2 usage, 3 Assay itself failed.
    """
    if flags.ablate:
        from assay.app.searched.ablate_command import run as ablate

        return ablate(flags)
    from assay.app.searched.bench_command import run

    return run(flags)
