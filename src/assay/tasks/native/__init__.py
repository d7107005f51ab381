"""The native suite: one file a task, in KernelBench format plus the literals `AXES` and `TAGS`.

The rule: a task file imports torch and nothing of Assay, so that it can be read and run alone.
"""
