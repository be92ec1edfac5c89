"""Scores and spans out, over OTLP."""
