"""Figures that were published: others', checked; ours, made checkable.

recheck.py  what someone claims of a kernel, and what was found
bundle.py   what an archive of a run holds
"""
