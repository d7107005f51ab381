"""Drawing: what holds while a task makes its inputs, whatever its text names and leaves out."""
