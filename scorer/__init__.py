"""Spanscore: live scoring of AI agents from their OpenTelemetry traces."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("spanscore")
except PackageNotFoundError:  # a bare checkout on sys.path, not installed
    __version__ = "0.0.0"
