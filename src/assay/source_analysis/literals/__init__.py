"""Numbers of a candidate's source and of the objects it built, and what each is compared with."""
