"""Protobuf <-> model, OTLP/JSON and stored-file formats; pure functions over bytes."""
