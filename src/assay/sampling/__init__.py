"""Sampling: whose code runs in a sandboxed process, looked up from outside."""
