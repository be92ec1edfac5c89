"""The web endpoint: /metrics, health and the API."""
