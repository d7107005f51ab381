"""Ahead-of-time compilation of a candidate's kernels for a named architecture."""
