"""Statistics of times; pure: intervals, drift, the effect of load, agreement of clocks."""
