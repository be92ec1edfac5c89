"""From spans to closed traces, without a clock, a socket or a lock."""
