"""What surrounds calls that are made as a training loop or a server makes them.

- module_state: parameters frozen, modules in their other mode
- thread_count: one thread for everybody
- trained_inputs: inputs that require gradients
- written_results: results that their caller writes into
"""
