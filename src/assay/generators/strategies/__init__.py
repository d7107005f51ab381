"""Strategies: what to ask for next.

    strategy.py             the contract: state -> actions
    strategy_registry.py    every strategy, by name

The rule: pure. The same state and seed give the same actions; nothing is read, run or kept.
"""
