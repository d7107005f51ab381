"""On device: what the reference says on the device that candidates run on.

device_answers    the contract
device_reference  a copy of the reference there
device_reading    a call that is found wrong, read once more with what the reference says there
"""
