"""A bundle holds the run and not its secret; every change to it is noticed."""

from __future__ import annotations

import hashlib
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.data.published.recheck import Claim, ClaimFinding, ClaimMark, Recheck
from assay.errors import UsageError
from assay.store.bundles.bundle_writer import MANIFEST, WrittenBundle, write_bundle
from assay.store.bundles.opened_bundle import opened_bundle
from bundled_run import RUN, SECRET, members, packed, stored, tar_bytes

CLAIM = Recheck(
    claim=Claim(number=1, where="a.csv:2"),
    mark=ClaimMark.UNKNOWN,
    reason="not measured",
    findings=(ClaimFinding(mark=ClaimMark.UNKNOWN, text="not measured"),),
)


def bundled(place: Path, target: Path) -> WrittenBundle:
    with stored(place) as store:
        return write_bundle(store, store.run(RUN.id), [CLAIM], target)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    bundled(tmp_path / "run", tmp_path / "a.tar.gz")
    return tmp_path / "a.tar.gz"


def test_the_run_comes_back_whole(bundle: Path, tmp_path: Path) -> None:
    with stored(tmp_path / "run") as store:
        expected = list(store.judgements(store.run(RUN.id)))
    with opened_bundle(bundle) as found:
        assert list(found.judgements()) == expected and len(expected) == 3
        assert expected[0][1] is not None and expected[2][1] is None
        assert found.run == RUN.model_copy(update={"secret": ""})
        assert found.claims == (CLAIM,)


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    first = bundled(tmp_path / "run", tmp_path / "a.tar.gz")
    again = bundled(tmp_path / "run", tmp_path / "other" / "b.tar.gz")
    assert first == again and (first.entries, first.unjudged) == (3, 1)
    files = [tmp_path / "a.tar.gz", tmp_path / "other" / "b.tar.gz"]
    assert files[0].read_bytes() == files[1].read_bytes()
    assert not list(tmp_path.rglob("*.part"))


def test_the_secret_of_the_run_stays_and_plans_are_shown(bundle: Path) -> None:
    content = tar_bytes(bundle)
    assert SECRET.encode() not in content and b'"secret":"5ec7e7"' in content


def test_sources_can_be_read_under_names_that_mean_nothing(bundle: Path) -> None:
    texts = {member.name: data for member, data in members(bundle)}
    sources = [name for name in texts if name.startswith("sources/")]
    assert len(sources) == 3 and all(name.endswith("/00_kernel.py") for name in sources)
    assert b"class ModelNew: ..." in [texts[name] for name in sources]


def test_the_id_is_that_of_the_manifest(tmp_path: Path) -> None:
    written = bundled(tmp_path / "run", tmp_path / "a.tar.gz")
    manifest = next(d for m, d in members(tmp_path / "a.tar.gz") if m.name == MANIFEST)
    assert written.id == hashlib.sha256(manifest).hexdigest()
    with opened_bundle(tmp_path / "a.tar.gz", written.id.upper()) as found:
        assert found.id == written.id
    with pytest.raises(UsageError, match="its id is"), opened_bundle(tmp_path / "a.tar.gz", "00"):
        pass


def changed(bundle: Path, change: Callable[[dict[str, bytes]], None], anew: bool) -> Path:
    """The bundle with other content; `anew`: whoever changed it wrote the manifest anew too."""
    texts = {member.name: data for member, data in members(bundle)}
    change(texts)
    if anew:
        manifest = json.loads(texts.pop(MANIFEST))
        manifest["files"] = [
            {"path": path, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
            for path, data in texts.items()
        ]
        texts[MANIFEST] = json.dumps(manifest).encode()
    given = [(tarfile.TarInfo(name), data) for name, data in texts.items()]
    return packed(bundle.with_name("changed.tar.gz"), given)


def of(texts: dict[str, bytes], kind: str) -> str:
    return next(name for name in sorted(texts) if name.startswith(kind))


def edit(kind: str, update: Callable[[Any], Any]) -> Callable[[dict[str, bytes]], None]:
    def change(texts: dict[str, bytes]) -> None:
        name = of(texts, kind)
        texts[name] = json.dumps(update(json.loads(texts[name]))).encode()

    return change


def drop(kind: str) -> Callable[[dict[str, bytes]], None]:
    def change(texts: dict[str, bytes]) -> None:
        del texts[of(texts, kind)]

    return change


def swap(texts: dict[str, bytes]) -> None:
    first, second = sorted(name for name in texts if name.startswith("judgements/"))
    texts[first], texts[second] = texts[second], texts[first]


def put(name: str, data: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda texts: texts.__setitem__(name, data)


def other_source(texts: dict[str, bytes]) -> None:
    texts[of(texts, "sources/")] = b"class ModelNew: harmless"


def nested(texts: dict[str, bytes]) -> None:
    texts["run.json"] = b"[" * 100_000


def level(run: dict[str, Any]) -> dict[str, Any]:
    return run | {"settings": run["settings"] | {"level": "full"}}


@pytest.mark.parametrize(
    ("change", "anew", "why"),
    [
        (edit("judgements/", lambda one: one), False, "was changed"),
        (drop("sources/"), False, "is missing"),
        (drop(MANIFEST), False, "no manifest.json"),
        (put("extra.json", b"{}"), False, "not in its manifest"),
        (put(MANIFEST, b"{}"), False, "no Manifest"),
        (put(MANIFEST, b"\xff"), False, "not UTF-8"),
        (drop("run.json"), True, "run.json is missing"),
        (drop("judgements/"), True, "is missing"),
        (swap, True, "is not about entry"),
        (edit("run.json", level), True, "is not about entry"),
        (edit("tasks/", lambda one: one | {"source": "x"}), True, "is not about entry"),
        (edit("candidates/", lambda one: one | {"entry": "x"}), True, "holds the candidate"),
        (edit("run.json", lambda one: one | {"more": 1}), True, "no Run: Extra inputs"),
        (put("entries.jsonl", b"{}\n"), True, "no BundledEntry"),
        (put("claims.json", b"3"), True, "no list of claims"),
        (other_source, True, "is not the source that was judged"),
        (nested, True, "no Run"),
    ],
)
def test_a_changed_bundle_is_not_sound(
    bundle: Path, change: Callable[[dict[str, bytes]], None], anew: bool, why: str
) -> None:
    with (
        pytest.raises(UsageError, match=why),
        opened_bundle(changed(bundle, change, anew)) as found,
    ):
        list(found.judgements())
