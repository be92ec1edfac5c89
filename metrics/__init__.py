"""The metric catalogue. A metric is one file here and one entry point; it imports `scorer.api` only."""
