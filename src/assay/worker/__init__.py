"""The wall: the trusted host, the protocol, the sandbox, and the child that runs candidate code."""
