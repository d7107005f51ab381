"""Published figures for people and programs.

* `recheck_table`: claims beside what was measured, on a terminal
* `recheck_export`: the same as Markdown and as comma-separated values
* `claimed_gains_text`: how many gains that a source claims of its rounds are within noise, in words
* `verify_text`: a bundle verified, on a terminal
"""
