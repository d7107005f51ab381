"""Several operations that one kernel can do at once."""
