"""Commands about what generators can do: score, rubric, analyse, cost, compare, leaderboard, pairs.

    graded_runs.py  the runs a user named, as graded entries
    score_flags.py  what each command accepts
    *_command.py    one command each

The rule: everything is read from stored records; nothing is run.
"""
