"""What is added to an exam for one candidate: workloads of its literals, and their truths."""
