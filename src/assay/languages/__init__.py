"""How a source becomes a callable: one file for each language.

The rule: a language says what it needs, what is missing and how the child must be prepared; it
never runs a candidate, because candidates run only in the sandbox.
"""
