"""The abstract interpreter of a candidate's Python source."""
