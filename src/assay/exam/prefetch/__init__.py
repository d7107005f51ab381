"""Reference prefetch: a second process computes expectations while the judge goes on."""
