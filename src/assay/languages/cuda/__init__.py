"""CUDA C++: the language, its sources and its tools."""
