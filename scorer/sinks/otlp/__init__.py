"""Sending OTLP to other services: queues, requests, and what becomes of their answers."""
