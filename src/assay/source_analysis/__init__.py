"""What a candidate's source says: an abstract interpretation of it, and what that means on a track.

`analysis.analyse` reads a candidate, `candidate_run` follows it from import to the result of
forward, `findings` weighs what was seen. The interpreter (`interpreter`, `interpreter_state`,
`values`) looks every node up in a table: `expressions` and `operators`, `statements`, `calls` of
the candidate's own code, `library_calls`, `builtin_calls`, `methods`, `kernel_calls`,
`attributes`, `modules`. `dataflow` moves data between values, `effects` records what reaches
beyond the candidate.

The rule: nothing here runs a line of the candidate.
"""
