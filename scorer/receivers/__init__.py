"""Where spans come in."""
