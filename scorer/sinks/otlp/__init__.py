"""OTLP out."""
