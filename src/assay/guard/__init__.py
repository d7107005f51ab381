"""Honesty checks: what the source can reach, what was dispatched, what process state was touched.

The rule: a check states what it found, where, and how sure that makes us; it never decides a
verdict, and nothing here runs a line of the candidate.
"""
