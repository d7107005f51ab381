"""Full shape: a task judged at its own size on a device, where the judge's memory is too small.

* `independent_parts.py`: along which dimensions a task can be cut, found on small runs.
* `full_shape_exam.py`: contents, weights and reference of the own shape, on the device.
* `block_reading.py`: one call read block by block.
* `device_room.py`: whether a device's memory holds all of it.
"""
