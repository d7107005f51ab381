"""A search for candidates: what is asked, what is tried, what it costs.

budget.py          what a search may spend, and what it has spent
search_event.py    what happens in a search, one record a kind, append-only
attempt.py         one candidate of a search, as strategies see it
search_state.py    everything that a strategy may decide by
action.py          what a strategy may want: ask for a candidate, confirm one, stop
"""
