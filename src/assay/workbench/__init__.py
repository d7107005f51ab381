"""Workbench: a generator and tasks: ask, evaluate, record, stop on budget, go on after a kill.

    search.py             the loop: state -> actions -> asks -> verdicts
    search_log.py         events and candidates of one search, as they are stored
    state_reader.py       events and verdicts -> the state that a strategy decides by
    asking.py             one ask: from the event before it to the candidate in the store
    request_builder.py    the request of an ask, made from its event
    context_parts.py      what a generator is told beside the task
    feedback.py           what a generator may be told of a candidate
    budget_gate.py        whether another ask may be made
    confirmation.py       the best candidate, judged again on a fresh secret
    search_lease.py       one process carries on a search
    search_results.py     what a search found of each task

The rule: what is stored decides. State is rebuilt from the store's events before every step, a
call that was paid is never paid twice, and what a generator claims is never a result.
"""
