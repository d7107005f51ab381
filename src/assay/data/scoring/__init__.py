"""What is made of many verdicts.

score.py           one figure, a sheet of them, a row of a leaderboard
score_analysis.py  what explains the figures
rubric.py          levels of a kernel on the Standard Kernel Rubric, and a generator's profile
"""
