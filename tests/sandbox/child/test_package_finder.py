"""The finder of modules, less what is hidden, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

CODE = """
import importlib, json, sys
from assay.sandbox.child.package_finder import show_only
site, own = sys.argv[1:]
sys.path += [site, own]
show_only((site,), (site + "/shown",))
def attempt(name):
    try:
        return importlib.import_module(name).__file__
    except ImportError as error:
        return type(error).__name__
found = {name: attempt(name) for name in ("shown", "kept_back", "single", "both", "json")}
show_only((), ())
importlib.invalidate_caches()
found["later"] = attempt("kept_back")
print(json.dumps(found))
"""


def test_hidden_entries_are_passed_over_and_the_other_places_are_searched(tmp_path: Path) -> None:
    site, own = tmp_path / "site-packages", tmp_path / "kernel"
    for folder in (site / "shown", site / "kept_back", site / "both"):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
    (site / "single.py").write_text("")
    own.mkdir()
    (own / "both.py").write_text("")
    command = [sys.executable, "-c", CODE, str(site), str(own)]
    found = json.loads(subprocess.check_output(command, text=True))
    assert found["shown"] == str(site / "shown" / "__init__.py")
    assert found["kept_back"] == found["single"] == "ModuleNotFoundError"
    assert found["both"] == str(own / "both.py")
    assert found["json"] and found["later"] == str(site / "kept_back" / "__init__.py")
