"""Contents made of others, so that no call is asked with what an earlier one was given.

* few_changes.py: single elements of a tensor on a device, while it is judged.
* spread_change.py: elements all over a tensor take the values of others.
* whole_change.py: every element becomes another one, where the tensor's structure bears it.
"""
