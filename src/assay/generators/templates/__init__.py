"""Templates: kernels written from a task's own graph, and a search over their parameters.

    trace_process.py         the process in which a reference is traced
    traced_graph.py          a reference as a graph of ATen operations with open sizes
    size_expression.py       sizes and places as symbolic whole numbers
    expression.py            what one element is, as a tree
    tensor_value.py          a tensor as a function from an index to an expression
    pointwise_lowering.py    operations on single elements
    view_lowering.py         operations that only move elements
    reduction_lowering.py    folds and products
    graph_lowering.py        a whole graph as values
    stage.py                 one kernel: loops, folds, stores
    stage_plan.py            values cut into stages
    loop_joining.py          loops that lie behind one another become one
    expression_writer.py     expressions as statements; cpp_writer.py, triton_writer.py: the targets
    cpp_stages.py, cpp_products.py, cpp_target.py          texts in C++ with OpenMP
    triton_stages.py, triton_products.py, triton_target.py texts in Triton
    candidate_module.py      the Python file around the kernels
    planned_task.py          a task as stages
    config_space.py          the parameters of a template
    config_search.py         the next point, by what earlier points measured
    template_generator.py    the generator `template-search`

The rule: a template guarantees what is computed; a parameter only says how.
"""
