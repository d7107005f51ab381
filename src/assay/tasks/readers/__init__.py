"""Readers: one file for each format in which people write tasks.

`function_call` and `entry_file` are what formats share whose unit is a function: the `Model` that
calls it, and the `ModelNew` of a candidate. The rule of all: foreign text is parsed, never run.
"""
