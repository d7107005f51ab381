"""What surrounds calls that are made as a training loop or a server makes them.

- memory_taken: memory that a caller takes before it reads a result
- module_state: parameters frozen, modules in their other mode
- passing_instances: an instance that is gone when its result is read
- thread_count: one thread for everybody
- trained_inputs: inputs that require gradients
- written_results: results that their caller writes into
"""
