"""Tasks: the native suite, readers of other formats, live references and their workloads.

The rule: everything here runs on the trusted side. No candidate code is ever loaded in this room.
"""
