"""Imports: what other systems publish about candidates, read into entries of an ordinary run.

    import_reader.py           the contract: one class for each format
    import_registry.py         the formats by name; other distributions add theirs by entry point
    kernelbench_samples.py     KernelBench's run folders with eval_results.json
    kernelbench_x_corpus.py    KernelBench-X's corpus of transitions between rounds
    openevolve_trace.py        OpenEvolve's traces of evolution
    foreign_lines.py           JSON of others, line by line

The rule: what others say is stored as their claim beside the candidate. It never becomes a
judgement, so no score counts it.
"""
