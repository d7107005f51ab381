"""What calls have to leave alone.

- parameter_prints: the parameters of every instance
- random_state: the random generators of the process
"""
