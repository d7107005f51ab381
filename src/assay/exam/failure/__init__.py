"""A wrong candidate explained: the smallest workload on which it fails, and what is wrong there."""
