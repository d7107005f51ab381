"""Synthesis: new tasks composed from the operators of the native suite, by a seed.

- chain_operators: the functions that chains are made of, with a plain version on numbers
- sampled_rows: a few rows of numbers on which a chain is tried before it is written
- composition: one drawn task: its inputs, its steps, its sizes and its dtype
- composer: compositions by seed, none twice
- composed_file: a composition as the text of a task file
"""
