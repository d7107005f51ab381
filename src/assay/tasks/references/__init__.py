"""References: a task's own code on the trusted side, run at its precision or in float64."""
