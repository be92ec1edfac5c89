"""Metrics of the kind operational."""
