"""Families: many small tasks in one file, each a function whose annotations say what it is given.

- family_words: the names a family file is written with
- argument_draw: one annotated argument, and the expression that draws it
- family_function: one function of a family, with what its decorator declares
- module_text: the module that a function stands for
- family_file: a whole file as tasks
"""
