"""Samples of whose code runs: taken over calls, and made into a record.

* `elsewhere_workloads`: shapes beside the own one at which a candidate is sampled too
* `provenance_record`: samples as a record of whose code computed
* `sampled_calls`: calls that are made in order to sample them
"""
