"""The root of our own making, built in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.confined import run_confined
from support.walls import ROADS

HERE = [road for road in ROADS if road == "namespaces"]  # elsewhere it cannot be built

LOOK_AROUND = """
from assay.sandbox.layers import namespaces
from assay.sandbox.layers.spec import Isolation, SandboxSpec
site, hidden, beside = sys.argv[1:]
scratch = "/scratch"
readable = ("/usr", site)
road = Isolation.NAMESPACES
module = f"{site}/module.py"
spec = SandboxSpec(road, readable, (hidden, module), scratch, 1 << 20, 1 << 30, (), 1)
namespaces.leave()
read_end, write_end = os.pipe()
if os.fork() == 0:
    namespaces.build_root(spec)
    def attempt(function, *arguments):
        try:
            function(*arguments)
        except OSError as error:
            return error.errno
        return 0
    found = {
        "site": sorted(os.listdir(site)),
        "hidden": os.listdir(hidden),
        "module": open(module).read(),
        "library": os.listdir(f"{site}/library"),
        "beside": os.path.exists(beside),
        "processes": [p for p in os.listdir("/proc") if p.isdigit()],
        "root": attempt(os.mkdir, "/new folder"),
        "site write": attempt(open, f"{site}/library/new", "w"),
        "hidden write": attempt(open, f"{hidden}/new", "w"),
        "scratch write": attempt(open, f"{scratch}/new", "w"),
        "scratch": os.statvfs(scratch).f_blocks * os.statvfs(scratch).f_frsize,
    }
    os.write(write_end, json.dumps(found).encode())
    os._exit(0)
os.close(write_end)
answer = json.loads(open(read_end).read())
"""


@pytest.mark.parametrize("road", HERE)
def test_a_hidden_folder_is_masked_and_its_neighbours_are_not(road: str, tmp_path: Path) -> None:
    for name in ("library", "package"):
        (tmp_path / "site" / name).mkdir(parents=True)
        (tmp_path / "site" / name / "source.py").write_text("text")
    (tmp_path / "site" / "module.py").write_text("text")
    (tmp_path / "beside").mkdir()
    site = tmp_path / "site"
    answer = run_confined(
        LOOK_AROUND,
        str(site),
        str(site / "package"),
        str(tmp_path / "beside"),
    )
    assert answer == {
        "site": ["library", "module.py", "package"],
        "hidden": [],
        "module": "",
        "library": ["source.py"],
        "beside": False,
        "processes": ["1"],
        "root": 30,
        "site write": 30,
        "hidden write": 30,
        "scratch write": 0,
        "scratch": 1 << 20,
    }
