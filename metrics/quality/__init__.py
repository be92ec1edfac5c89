"""Metrics of the kind quality."""
