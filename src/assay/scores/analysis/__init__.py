"""What explains the figures.

    logistic.py           the penalised logistic model
    attribution.py        how much category, method and difficulty explain of acceptance
    round_steps.py        each candidate beside the one that it was made from
    rounds.py             transitions from round to round, and the bias of repairs
    gains.py              how much faster a step made a candidate, by verdicts
    claimed_ratios.py     the same by what others claim
    claimed_gains.py      how many of the gains that others claim are within noise
    category_failures.py  where categories fail and with which evidence
    hardware_spread.py    one generator's kernels across devices
    pareto.py             cost against benefit
    cost_forecast.py      what a budget buys
    paired.py             two runs compared task by task
    run_analysis.py       all of it together

The rule: every test says its name, and many tests at once are corrected by Holm's procedure.
"""
