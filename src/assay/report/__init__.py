"""Records made readable. Reads records only: nothing here runs, measures or judges."""
