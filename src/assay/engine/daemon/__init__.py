"""The daemon: a session of one user that stays warm between commands.

    client ──greeting──> daemon ──hands the connection over──> worker ──> Judge
       │ <──progress, judgements, failures, log lines──────────────┘

    socket_folder.py     where the socket lies, who may reach it, the lock, the token and the log
    peer_credentials.py  whose process is at the other end of a socket
    session_identity.py  what two processes must have in common to get the same verdicts
    greetings.py         what clients and the daemon say before an evaluation begins
    warm_judge.py        what evaluates in a worker
    daemon_worker.py     a process that serves one client after the other
    worker_handle.py     the daemon's hold on one worker
    daemon_server.py     the daemon itself: greets, hands over, ends when idle
    background.py        starting a daemon that outlives the command
    daemon_client.py     evaluations by a running daemon, or without one

The rule: a verdict is the same with and without a daemon. Whatever could make it another one keeps
a client from using it. Candidates reach neither the socket nor the token.
"""
