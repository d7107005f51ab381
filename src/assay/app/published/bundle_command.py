"""`assay bundle`: a stored run as one archive that others can verify."""

from __future__ import annotations

import json
import sys

from assay.app.flag_settings import note
from assay.app.published.publish_flags import BundleFlags
from assay.app.stored.stored_run import stored_claims, stored_run
from assay.store.bundles.bundle_writer import write_bundle


def run(flags: BundleFlags) -> int:
    """Write it, and say its id: whoever has the id notices every change."""
    store, one = stored_run(flags.run)
    with store:
        written = write_bundle(store, one, stored_claims(store, one), flags.out)
    if written.unjudged:
        note(f"{written.unjudged} of {written.entries} candidates are not judged yet")
    said = {
        "file": str(flags.out),
        "id": written.id,
        "run": one.id,
        "candidates": written.entries,
        "unjudged": written.unjudged,
        "files": written.files,
        "bytes": flags.out.stat().st_size,
    }
    if flags.json:
        sys.stdout.write(json.dumps(said) + "\n")
    else:
        size = f"{said['bytes']} bytes, {written.files} files, {written.entries} candidates"
        sys.stdout.write(f"{flags.out}: {size}\nid {written.id}\n")
    return 0
