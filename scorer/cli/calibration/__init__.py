"""How well a metric agrees with labels: the figures of `spanscore calibrate`."""
