"""Commands that make tasks and candidates.

- suite_flags: what these commands accept
- synthesise_command: new tasks from the suite's operators
- new_command: a task or a candidate to begin with
"""
