"""The metric catalogue: a metric is one file here and one entry point.

A metric imports `scorer.api` only.
"""
