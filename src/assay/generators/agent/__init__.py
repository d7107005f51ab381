"""Agent: candidates from a coding agent that works in a folder of its own.

    agent_generator.py   the generator: folder -> agent -> candidate
    agent_options.py     which command is started, what its stream looks like, its limits
    agent_folder.py      what the agent finds: task, skill page, `assay` on its path
    agent_keeper.py      a process that starts the agent and ends everything that it started
    agent_process.py     the agent while it runs: its lines, its end at the budget
    agent_streams.py     what an agent writes on stdout: usage, words, cost
    agent_turns.py       turns of an agent made into calls that are told
    assay_wrapper.py     the `assay` of the agent: logs every call, then makes it
    tool_log.py          the log of these calls, and the candidates they judged
    skill.md             the page that the agent reads

The rule: the agent gets a copy of the task and nothing else of ours. Whatever it found out with
`assay eval` was judged on secrets of its own; its candidate is judged again, fresh, by the caller.
"""
