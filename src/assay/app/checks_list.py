"""`assay eval --checks`: what is asked beyond plain calls, and what each costs."""

from __future__ import annotations

import sys

from assay.checks.check_registry import all_checks
from assay.report.checks_text import check_list
from assay.report.console import result_console


def print_checks(json: bool) -> None:
    """Every check of this installation, in the order in which they run."""
    declared = [check.declared for check in all_checks()]
    if json:
        for one in declared:
            sys.stdout.write(one.model_dump_json() + "\n")
    else:
        result_console().print(check_list(declared))
