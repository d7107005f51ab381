"""Checks: what is asked of a candidate beyond plain calls, one file each."""
