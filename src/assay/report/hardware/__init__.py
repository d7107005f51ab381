"""Pages about a device and what a kernel does on it: its limits, compiled code and profile."""
