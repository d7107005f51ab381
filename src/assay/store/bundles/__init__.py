"""Bundles: one run as an archive that others can check.

archive_writer.py  plain files as a .tar.gz, the same bytes for the same files
archive_reader.py  such an archive unpacked, whoever wrote it
evaluator_id.py    the hash of the sources of this Assay
bundle_writer.py   a stored run as the files of an archive
opened_bundle.py   an archive as the records of a run, checked

The rule: an archive is data of someone else. Names of its files never become paths here.
"""
