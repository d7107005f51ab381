"""Everything that shares a process with candidate code. It holds no secret."""
