"""What one candidate gets: workloads of its literals, their truths, and options of its batches."""
