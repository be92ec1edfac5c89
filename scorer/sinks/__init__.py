"""Where scores go out."""
