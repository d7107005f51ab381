"""Workloads of an exam: which shapes, values and layouts are tried on the reference."""
