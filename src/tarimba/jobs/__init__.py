"""Work beside the requests."""
