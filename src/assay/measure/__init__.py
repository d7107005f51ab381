"""Numeric error, statistics and null answers. Pure: tensors and numbers in, records out."""
