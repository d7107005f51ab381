"""Where work runs: here, one after the other, or several at a time."""
