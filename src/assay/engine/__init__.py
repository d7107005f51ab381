"""The engine: many evaluations, of many tasks, each stored the moment it is known.

    candidate_list.py  what a user's folder or file holds
    suite_run.py       every open entry judged, several at a time
    daemon/            a session of one user that stays warm between commands

The rule: what is stored decides what is left to do, so a run that was killed goes on where it was.
"""
