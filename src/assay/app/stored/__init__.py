"""Commands about runs that are kept: begin, go on, list, show, judge again, import, export."""
