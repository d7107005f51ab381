"""Builds: torch extensions compiled by the host, and when a warm-up compiles other shapes.

* `kept_files.py`: files by key in a folder of bounded size
* `unit_compiler.py`: one run of a compiler in a sandbox where no candidate's code runs
* `precompiled_header.py`: a header, precompiled for one set of flags
* `standard_headers.py`: those that a bare C++ file begins with, as files of its scratch folder
* `extension_compiler.py`: a unit becomes an object, or is declined
* `compile_service.py`: answers the units that one build asks for
* `deferred_warmup.py`: the compile warm-up waits for right answers of the own shape
* `instance_spec.py`: how one instance of a module is constructed
"""
