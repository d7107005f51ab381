"""Metamorphic relations: proposals, and those that hold on a reference."""
