"""Pure: observations become a verdict. Nothing is run, read or measured here."""
