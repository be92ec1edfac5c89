"""Pure data: what a span, a trace, a normalised agent trace and a score are."""
