"""What a candidate did beside its answers, and what each observation of it means."""
