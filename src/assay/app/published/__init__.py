"""Commands about published figures: others' are checked, ours are made checkable.

publish_flags.py    what each command accepts
recheck_command.py  someone's claims, beside what is measured
bundle_command.py   a run as an archive
verify_command.py   such an archive, checked
"""
