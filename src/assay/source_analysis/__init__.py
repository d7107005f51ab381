"""What a candidate's source says: an abstract interpretation of it, and what that means on a track.

The rule: nothing here runs a line of the candidate. The interpreter follows code from import to the
result of forward, records what it sees, and `findings` weighs that.
"""
