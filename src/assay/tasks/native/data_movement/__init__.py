"""Picking, placing and rearranging elements."""
