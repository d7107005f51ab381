"""The wall: everything that keeps candidate code in. Audited alone; nothing else lives here."""
