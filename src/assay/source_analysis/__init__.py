"""Source analysis: what a candidate's source can reach. Nothing here runs a line of it."""
