"""Profile: questions about one candidate's kernels. Nothing is judged."""
