"""Along an axis: sums, extremes, normalisations and losses."""
