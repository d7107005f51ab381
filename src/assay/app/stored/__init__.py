"""Commands about runs that are kept: begin or go on with one, list, show, judge again, import."""
