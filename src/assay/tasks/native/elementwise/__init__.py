"""Element by element: every result follows from the elements at its own place."""
