"""Code on a device: which kernels ran, and which functions are the libraries' own."""
