"""The nouns. One file each; no torch, so that importing them takes a blink."""
