"""What was seen and measured, as records."""
