"""Reference prefetch: expectations are computed beside the judge while it goes on.

* `script_prefetch.py`, `sweep_prefetch.py`: a second process, where the judge may fork
* `thread_prefetch.py`: a thread, beside a device
* `forked_helper.py`, `tensor_channel.py`: that process, and what it sends
"""
