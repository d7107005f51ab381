"""Triton: the language, its interpreter's repairs, and its kernels read from source."""
