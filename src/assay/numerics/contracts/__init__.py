"""Outputs that are not compared number by number: decompositions, random draws, planted values."""
