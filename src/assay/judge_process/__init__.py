"""The judge process: where references run and candidates are judged, apart from the caller.

    caller ──job, "go on"──> judge process ──> warm parent ──> sandboxes
       │ <──progress, judgements, failures, log lines──┘
       └──starts, closes──> supervisor ──starts, watches, ends──> judge process

A judge process may be kept: then it serves one job after the other, and keeps walls and exams.

The rule: the caller's process runs nothing of a task or a candidate and imports no torch. The
supervisor runs nothing but itself, so it can end what the judge process cannot end.
"""
