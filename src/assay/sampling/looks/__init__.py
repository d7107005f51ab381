"""Looks: how threads of another process are met.

clock_events.py    samples that the kernel takes by processor time
clocked_looks.py   these as looks
moment.py          looks that were taken at one time
stopped_looks.py   threads that are stopped for a moment, where the kernel takes no samples
stopped_thread.py  one such thread
"""
