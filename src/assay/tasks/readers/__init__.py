"""Readers: one file for each format in which people write tasks."""
