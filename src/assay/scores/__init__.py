"""Pure: verdicts become scores. Nothing is run, read or measured here.

    graded.py             one judged entry, flat: what every score reads
    grouped.py            the entries of one generator on one device, by task
    estimates.py          means, medians and geometric means with bootstrap intervals over tasks
    fast_p.py             tasks solved more than p times as fast; the report's curve, too
    score_family.py       the contract: one class for each source system
    score_registry.py     the families by name; other distributions add theirs by entry point
    score_sheets.py       every score of every generator and device
    *_scores.py           one source system each, formula and source in every docstring
    claim_check.py        a claim against a verdict
    rewards.py            one verdict as one number, for training
    code/                 measures of the candidate's own source
    analysis/             what explains the figures: attribution, rounds, costs, comparisons
    pairs/                corrected errors and shown gains, to train on

The rule: what is unknown or was not attempted never counts as success, and every figure carries its
denominator.
"""
