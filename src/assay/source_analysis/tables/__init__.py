"""Tables of names: library operations, symbols, paths and what each one means."""
