"""A reference as a graph, and the graph as expressions.

trace_process.py         the process in which a reference is traced
traced_graph.py          a reference as a graph of ATen operations with open sizes
symbolic_size.py       sizes and places as symbolic whole numbers
expression.py            what one element is, as a tree
tensor_value.py          a tensor as a function from an index to an expression
pointwise_lowering.py    operations on single elements
view_lowering.py         operations that only move elements
reduction_lowering.py    folds and products
graph_lowering.py        a whole graph as values
"""
