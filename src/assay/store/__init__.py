"""The store: every run, task, candidate, judgement, measurement and event, durable once known.

    schema.py -> database.py -> blobs.py -> entry_rows.py -> run_store.py -> parquet_export.py
    pair_export.py  rows of pairs as files;  imports/  what other systems publish, as their claims
    bundles/  a run as an archive that others can check

The rule: a judgement is written whole, in one transaction, and once. The same code serves a SQLite
file inside a run's folder and a PostgreSQL server named by its URL.
"""
