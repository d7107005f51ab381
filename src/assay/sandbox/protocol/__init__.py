"""What host and child say to each other: requests, replies, start-up messages, the wire."""
