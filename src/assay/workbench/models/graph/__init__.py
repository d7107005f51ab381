"""The graph of a model: traced, written as Python, and split into regions.

    traced_model.py       a module as a graph of functions, with the forms of all tensors
    python_text.py        nodes of that graph as Python
    forward_code.py       the whole forward as statements
    region.py             nodes that one kernel could compute, as a function
    region_work.py        what a region must move and compute
    fusion.py             which adjacent operations are one candidate

The rule: only the model's own process imports what is here.
"""
