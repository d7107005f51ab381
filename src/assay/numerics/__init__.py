"""Numerics: error budgets and contracts. Pure: tensors and numbers in, records out."""
