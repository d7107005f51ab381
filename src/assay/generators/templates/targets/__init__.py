"""Stages as text: C++ with OpenMP for a processor, Triton for a GPU.

candidate_module.py     the contract of a target, and the Python file around the kernels
expression_writer.py    expressions as statements, each value once
cpp_writer.py, cpp_stages.py, cpp_products.py, cpp_target.py
triton_writer.py, triton_stages.py, triton_products.py, triton_target.py
"""
