"""Mutants: honest kernels of the tree, each with one fault put in.

    kernels -> edits by the mutators and the recipes -> mutants -> a stratified choice

The rule: a mutant is a text in memory, made from the kernel's text alone and the same every time.
"""
