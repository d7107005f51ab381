"""What kernels run on: one adapter a file, behind the contract in `device.py`."""
