"""The Standard Kernel Rubric: five axes of four levels, each level with its line of evidence.

    placed_level.py           one axis: a level or none, and the line that says why
    complexity_level.py       K, from the task
    representation_level.py   R, from source and binary
    hardware_level.py         H, from the binary
    performance_level.py      P, from times against the best known
    automation_level.py       A, from the record of what people did
    binary_features.py        what compilers made of the kernels, as features
    kernel_placement.py       the five together, for one kernel
    stored_placements.py      kernels of some runs, each against the best that they hold
    rubric_profile.py         what a generator reaches with one accepted kernel

The rule: what is unknown has no level. Nothing is guessed from what kernels usually are.
"""
