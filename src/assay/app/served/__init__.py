"""`assay serve`: evaluations over HTTP, for loops that other systems run.

    serve_flags.py         what the command accepts
    serve_command.py       the command
    evaluation_server.py   the server: limits, who may ask, how many may wait
    evaluate_route.py      POST /evaluate: a request in KernelGYM's names becomes a verdict in them

The rule: only this machine is served unless the user says otherwise, and code of a reference, which
the judge runs as its own, is taken only where the user allows it.
"""
