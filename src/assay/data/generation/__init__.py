"""A search for candidates: what is asked, what is tried, what it costs.

budget.py             what a search may spend, and what it has spent
search_plan.py        what a search was asked to do
search_event.py       what happens in a search, one record a kind, append-only
attempt.py            one candidate of a search, as strategies see it
search_state.py       everything that a strategy may decide by
action.py             what a strategy may want: ask for a candidate, confirm one, stop
search_result.py      what a search found of one task
ablation_result.py    what a check or a part of the context is worth
"""
