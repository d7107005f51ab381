"""Tasks: the native suite, readers of other formats, live references and the workloads asked of them.

The rule: everything here runs on the trusted side. No candidate code is ever loaded in this room.
"""
