"""Audit: null answers asked of tasks, to find those that prove nothing.

The rule: a null answer is the judge's own tensor, so no candidate runs and no wall is needed.
"""
