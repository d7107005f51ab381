"""Definitions: what the formats of SOL-ExecBench and FlashInfer-Trace share.

`size_expression` evaluates axes and constraints, `definition` is one operation with its axes,
`definition_workload` one set of values for them, `safetensors_file` reads stored inputs,
`random_values` says how an input is drawn, `definition_module` writes a task's source, `solution`
reads a candidate and `definition_reader` finds them all in a folder.
"""
