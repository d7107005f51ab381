"""What is asked of a candidate beyond plain calls, one file a check."""
