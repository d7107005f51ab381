"""Sources for `benchmarks/throughput.py`: honest kernels, each written for the first time.

    generated.py       one source, and the seeded choices it is made of
    triton_sources.py  eight native tasks in Triton
    cuda_sources.py    four native tasks in CUDA C++ through load_inline
    cpp_sources.py     ten tasks as bare C++ files
    plain_tasks.py     two tasks in KernelBench's format

The rule: the same seed and number give the same text, and no two numbers give the same: names,
sizes, number of warps and the form of an expression differ.
"""
