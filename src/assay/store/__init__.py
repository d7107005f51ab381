"""The store: every run, task, candidate, judgement, measurement and event, durable once known.

    schema.py -> database.py -> blobs.py -> run_store.py -> parquet_export.py
    bundles/  a run as an archive that others can check

The rule: a judgement is written whole, in one transaction, and once. The same code serves a SQLite
file inside a run's folder and a PostgreSQL server named by its URL.
"""
