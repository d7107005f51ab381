"""Workbench: a generator and tasks: ask, evaluate, record, stop on budget, go on after a kill.

The rule: what is stored decides. State is rebuilt from the store's events before every step, a
call that was paid is never paid twice, and what a generator claims is never a result.
"""
