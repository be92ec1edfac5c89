"""Metrics of the kind privacy."""
