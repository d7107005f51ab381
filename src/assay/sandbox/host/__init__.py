"""The trusted side of the wall: starts, feeds, freezes, watches and ends the child."""
