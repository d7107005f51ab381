"""What calls have to leave alone.

- held_state: what a module computes with and saves, read where torch keeps it
- native_settings: thread counts and modes of MKL and OpenMP, below torch
- parameter_prints: the parameters of every instance
- random_state: the random generators of the process
"""
