"""Functions of a static archive are found by name and by their bytes."""

from __future__ import annotations

import glob
import os
import random
from pathlib import Path

import numpy as np

from assay.sampling.archive_functions import archive_functions, is_archive
from assay.sampling.code_index import CodeIndex
from assay.sampling.installed_libraries import computing_libraries
from assay.sampling.library_code import library_code

FOLDER = os.path.join(os.path.dirname(np.__file__), "random")
ARCHIVE = os.path.realpath(os.path.join(FOLDER, "lib", "libnpyrandom.a"))


def test_every_function_of_the_archive_has_a_name_and_a_place() -> None:
    functions = archive_functions(ARCHIVE)
    assert functions is not None and is_archive(ARCHIVE)
    names = {functions.name(i) for i in range(len(functions.ends))}
    assert {b"random_standard_normal_fill_f", b"random_interval"} <= names
    assert (functions.ends > functions.starts).all()


def test_a_file_that_is_no_archive_has_no_functions(tmp_path: Path) -> None:
    path = tmp_path / "other.a"
    path.write_bytes(b"!<thin>\n" + bytes(200))
    assert archive_functions(str(path)) is None


def test_code_of_the_archive_is_named_where_it_was_linked(tmp_path: Path) -> None:
    """NumPy's own extension is linked with it, and holds no symbols of it."""
    assert ARCHIVE in computing_libraries()
    library = library_code(ARCHIVE, tmp_path)
    assert library is not None
    index = CodeIndex([library], ())
    (linked,) = glob.glob(os.path.join(FOLDER, "_generator.*.so"))
    image = Path(linked).read_bytes()
    functions = library.functions
    at = [functions.name(i) for i in range(len(functions.ends))].index(b"random_standard_gamma_f")
    first, last = functions.bounds(at)
    for start in range(first, last - 24):
        place = image.find(library.image[start : start + 24].tobytes())
        if place >= 0:
            break
    window = image[place - 1024 : place + 1024]
    assert index.name(window, 1024 + 12).startswith("random_standard_gamma_f of libnpyrandom")
    assert index.name(random.Random(1).randbytes(2048), 1024) == ""
