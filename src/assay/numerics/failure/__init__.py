"""Failures in words: where the wrong elements lie, and on which workloads."""
