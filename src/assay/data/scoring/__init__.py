"""What is made of many verdicts.

score.py           one figure, a sheet of them, a row of a leaderboard
score_analysis.py  what explains the figures
"""
