"""Readings: what OTLP metrics of an agent's process say of the time in which a trace ran.

Theory of operation. Of all metrics that arrive, a few are wanted (`names`). Their points are kept
by tenant, by the resource that sent them and by series, in order of their own times, within
bounds (`store`). When a trace closes, the readings of its processes are looked up (`identity`),
and what they say of the time of its spans is worked out (`measure`) and attached to it (`join`).
From then on it travels with the trace, and is noted with its closing, so that a trace that is
scored again after a crash has the same readings. Metrics read it as `AgentTrace.resources`
(`overlay`).

Only readings that were taken before the end of a trace count, or within `after`, which is as long
as a finished trace waits for more spans: these have come by the time it closes, live and in a
replay alike, so both give the same scores.
"""
