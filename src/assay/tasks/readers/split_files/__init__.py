"""Split files: a reference, a line of 146 `#`, and a test; KernelBench-X and TritonBench have them.

split_file: the source of a task from such a file and its performance script.
split_file_reader: what the readers of such files share.
golden_timings: what a benchmark measured of a task, by device.
triton_reference: a reference that is a Triton kernel, made to run.
"""
