"""Sample agent traces and what sends them to a running service (`spanscore serve --demo`)."""
