"""Exam: which calls are made of a candidate: workloads, contents, weights, script, pace."""
