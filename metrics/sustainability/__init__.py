"""Metrics of the kind sustainability."""
