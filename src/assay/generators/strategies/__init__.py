"""Strategies: what to ask for next, one file each.

    strategy.py            the contract: state -> actions
    strategy_registry.py   every strategy, by name
    strategy_settings.py   settings by name
    task_strategy.py       steps of single tasks, made into one answer
    rules/                 what strategies share
    best_of_n.py           independent drafts
    greedy.py              keep or revert, one change at a time
    beam.py                the best few, toward their worst few bottlenecks
    islands.py             populations with migration (MAP-Elites)
    graph.py               one operator, selection over all attempts
    lineage.py             one lineage and a supervisor against stagnation
    inner_strategy.py      those that others may be built around
    bandit.py              which generator and which strategy (UCB)
    value_memory.py        examples from other tasks, by likeness and learnt value
    limit_steering.py      asks go where the limit says that gain is left

The rule: pure. The same state and seed give the same actions; nothing is read, run or kept.
"""
