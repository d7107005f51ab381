"""Rules that strategies share, each a pure function of the state.

    task_view.py           one task, with what follows from its attempts
    generator_choice.py    which generator a move is asked of
    direction.py           one thing to change in a kernel, said in a sentence
    ask_builder.py         asks for the moves of a task
    repair_rule.py         which failures are corrected, and how often
    stop_rule.py           when nothing more is asked of a task
    elite_cells.py         the best of each kind of candidate on one island
    attempt_reward.py      what an attempt was worth, as a number
    item_values.py         the value of showing a past attempt, by stage

The rule: nothing is kept between two calls; whatever a rule needs is in the attempts' labels.
"""
