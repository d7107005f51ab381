"""The least that a task must move and compute, and the least time for it."""
