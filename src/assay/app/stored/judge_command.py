"""`assay judge`: what a run saw, judged again by the judge of today. Nothing is run."""

from __future__ import annotations

import sys

from assay.app.stored.run_flags import JudgeFlags
from assay.app.stored.stored_run import stored_run
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
            text = f"{entry.candidate.name}: {before.verdict.status} -> {after.status}"
            result_console().print(text) if not flags.json else None
    total = same + changed + unjudged
    words = f"{same} of {total} verdicts are the same, {changed} changed, {unjudged} not judged yet"
    sys.stderr.write(f"assay: {words}\n")
    return 1 if changed else 0
