"""From a closed trace to its scores."""
