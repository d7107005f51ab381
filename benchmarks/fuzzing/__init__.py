"""Generated tasks for `benchmarks/fuzz.py`: modules of every form, each with a candidate that is
the same module.
"""
