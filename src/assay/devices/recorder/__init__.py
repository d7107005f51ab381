"""The recorder of a device: what ran on it, who asked for it, and which code was loaded."""
