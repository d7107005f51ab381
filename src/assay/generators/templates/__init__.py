"""Templates: kernels written from a task's own graph, and a search over their parameters.

    graph/                   a reference as a graph, and the graph as expressions
    stage.py                 one kernel: loops, folds, stores
    stage_plan.py            the values of a graph cut into stages
    loop_joining.py          loops that lie behind one another become one
    targets/                 stages as text: C++ with OpenMP, Triton
    planned_task.py          a task as stages
    config_space.py          the parameters of a template
    config_search.py         the next point, by what earlier points measured
    template_generator.py    the generator `template-search`

The rule: a template guarantees what is computed; a parameter only says how.
"""
