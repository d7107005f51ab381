"""Commands about tasks: to list, audit, make and compose them.

- suite_flags: what those that make something accept
- tasks_command: what can be asked for, or one task in full
- audit_command: tasks that a kernel which computes nothing would pass
- synthesise_command: new tasks from the suite's operators
- new_command: a task or a candidate to begin with
"""
