"""Builds of torch extensions by the host: objects that are met again, headers precompiled.

* `kept_files.py`: files by key in a folder of bounded size
* `unit_compiler.py`: one run of a compiler in a sandbox where no candidate's code runs
* `precompiled_header.py`: torch's header, precompiled for one set of flags
* `extension_compiler.py`: a unit becomes an object, or is declined
* `compile_service.py`: answers the units that one build asks for
"""
