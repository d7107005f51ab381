"""The commands about whole models.

    model_flags.py     what they accept
    model_commands.py  both, added to the command line
    hot_command.py     `assay hot`: where the time of a model goes
    apply_command.py   `assay apply`: kernels put back into it
    model_text.py      both as text

The rule: parse, call, print.
"""
