"""C++ and CUDA sources, read as tokens."""
