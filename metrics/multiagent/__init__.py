"""Metrics of the kind multiagent, and AgentUnit's analyzers and calculator."""

from metrics.multiagent.calculator import (
    CoordinationMetrics,
    EmergentBehaviorMetrics,
    MultiAgentMetricsCalculator,
    NetworkMetrics,
)
from metrics.multiagent.emergence import EmergentBehaviorDetector
from metrics.multiagent.interactions import InteractionAnalyzer
from metrics.multiagent.network import NetworkAnalyzer

__all__ = [
    "CoordinationMetrics",
    "EmergentBehaviorDetector",
    "EmergentBehaviorMetrics",
    "InteractionAnalyzer",
    "MultiAgentMetricsCalculator",
    "NetworkAnalyzer",
    "NetworkMetrics",
]
