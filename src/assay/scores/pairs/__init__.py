"""Pairs of candidates to train on: corrected errors and shown gains.

    error_signature.py  what is the same in two errors
    pair_sides.py       what a pair keeps of one candidate
    task_groups.py      near-identical tasks, and which of them are held out
    pair_builder.py     steps between candidates become pairs, each step counted
    pair_shapes.py      pairs as rows that trainers read

The rule: every step has one outcome and all are counted; tasks are split, never candidates.
"""
