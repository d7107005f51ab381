"""Scores and what explains them, made readable.

score_table.py        the sheet of one generator
leaderboard_table.py  all generators, the best first
analysis_text.py      analyses, forecasts and comparisons
"""
