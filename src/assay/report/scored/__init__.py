"""Scores and what explains them, made readable.

score_table.py        the sheet of one generator
leaderboard_table.py  all generators, the best first
rubric_text.py        levels of kernels, profiles of generators
analysis_text.py      analyses, forecasts and comparisons
"""
