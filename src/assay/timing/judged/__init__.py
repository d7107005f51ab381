"""Timed calls that are judged like any other.

* `judged_rounds`: which rounds have an answer judged
* `farthest_answer`: of many answers the one that is farthest from the reference
* `living_results`: batches whose results stay alive and whose inputs are looked at
"""
