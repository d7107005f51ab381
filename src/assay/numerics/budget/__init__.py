"""The error budget: how far an honest kernel's rounding may move an output."""
