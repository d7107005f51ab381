"""Operators of language models, and whole blocks of them."""
