"""Ablations: what a check, or a part of what a generator is told, is worth.

check_ablation.py      a stored run judged again with checks left out
context_ablation.py    a generator with and without a part of its context, paired
ablation_request.py    what `--ablate` asks for, read from its text

The rule: only the one thing differs. Exams, tasks, seeds and samples are the same on both sides.
"""
