"""Metrics of the kind multimodal."""
