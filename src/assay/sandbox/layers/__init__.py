"""Layers that keep a candidate in: namespaces, Landlock, seccomp, capabilities, limits."""
