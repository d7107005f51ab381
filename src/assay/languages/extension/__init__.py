"""Torch extensions: what torch's build file says, and how its units are compiled outside.

* `compile_unit.py`: one source for one compiler, as it is asked for and answered
* `compile_flags.py`: the flags with which a unit is compiled outside, and a header precompiled
* `ninja_file.py`: the units and the link line of torch's build file
* `extension_build.py`: takes the place of ninja in the candidate's process
"""
