"""From the attributes of each instrumentation to one `AgentTrace`."""
