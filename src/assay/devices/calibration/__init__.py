"""Calibration: what a device was measured to reach.

calibrate.py           a host's processors
calibrate_cuda.py      an NVIDIA GPU
calibration_folder.py  where results are kept
"""
