"""Shapes of a task: which sizes may vary, and what a size costs."""
