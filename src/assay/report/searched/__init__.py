"""Searches made readable.

search_progress.py    the live view: spend, tasks, the last attempts
search_table.py       what a search found, task by task
search_words.py       attempts, speeds and spend in words
ablation_table.py     what a check or a part of the context is worth
"""
