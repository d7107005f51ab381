"""`assay judge`: what a run saw, judged again by the judge of today. Nothing is run."""

from __future__ import annotations

import sys

from assay.app.flag_settings import note
from assay.app.stored.run_flags import JudgeFlags
from assay.app.stored.stored_run import stored_run
from assay.data.verdict import Verdict
from assay.report.console import result_console


def run(flags: JudgeFlags) -> int:
    """Print every verdict that differs, and how many do not."""
    from assay.judgement import judged_again

    store, one = stored_run(flags.run)
    same = changed = unjudged = 0
    with store:
        for entry, before in store.judgements(one):
            if before is None:
                unjudged += 1
                continue
            after = judged_again(before).verdict
            if flags.json:
                sys.stdout.write(after.model_dump_json() + "\n")
            if after == before.verdict:
                same += 1
                continue
            changed += 1
            if not flags.json:
                text = f"{entry.candidate.name}: {_change(before.verdict, after)}"
                result_console().print(text)
    total = same + changed + unjudged
    words = f"{same} of {total} verdicts are the same, {changed} changed, {unjudged} not judged yet"
    if flags.json:
        note(words)
    else:
        sys.stdout.write(f"{words}\n")
    return 1 if changed else 0


def _change(before: Verdict, after: Verdict) -> str:
    """The statuses where they differ, else the names of what does."""
    if before.status is not after.status:
        return f"{before.status} -> {after.status}"
    names = [name for name in Verdict.model_fields if getattr(before, name) != getattr(after, name)]
    return f"{after.status} as before; {', '.join(names)} changed"
