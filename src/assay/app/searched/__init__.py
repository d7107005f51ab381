"""Commands that ask generators for candidates.

search_flags.py      what `search` and `bench` accept
search_commands.py   both, added to the command line
search_command.py    `assay search`
bench_command.py     `assay bench`
asked_search.py      flags resolved into a plan, a run and what carries it on
replayed_run.py      the generator of a choice; `replay` of a stored run
stored_search.py     a search as its report shows it
ablate_command.py    `assay bench --ablate`
"""
