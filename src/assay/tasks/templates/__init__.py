"""Templates: files to begin a task or a candidate with.

- task_template: a task that works as it is
- candidate_call: what a candidate of a task is given and returns, by name, dtype and shape
- class_text: the part of a reference that a candidate shares: its constructor and helpers
- c_kernels: a candidate in C++ or CUDA C++
- candidate_template: a candidate in any of the languages
"""
