"""Timing: stopwatches, rounds, baselines. Raw samples in, Measurements out."""
