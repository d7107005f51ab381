"""Measures of the candidate's own source, nothing else with it.

python_code.py    maintainability and cyclomatic complexity, by radon
native_code.py    tokens, Halstead volume and branches of C++ and CUDA
code_measures.py  both, of one candidate
"""
