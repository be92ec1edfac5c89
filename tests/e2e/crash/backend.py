"""A tracing backend that outlives the service: it keeps every span that it was sent."""

import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import grpc
from opentelemetry.proto.trace.v1 import trace_pb2

from .service import EXPORT, TRACES

METRICS = EXPORT.format("metrics", "Metrics")
REVISION = "spanscore.revision"
SCORE = "spanscore.score."


class Backend(grpc.GenericRpcHandler):
    """Listens on a port of its own; while it `is_down` it takes nothing."""

    def __init__(self):
        self.spans = defaultdict(list)  # by trace id, as often as they came
        self.metrics = []  # bodies
        self.is_down = False
        self._lock = threading.Lock()
        self._server = grpc.server(ThreadPoolExecutor(4), handlers=[self])
        self.endpoint = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"
        self._server.start()

    @property
    def settings(self):
        """What tells a service to forward to it."""
        return {
            "sinks.otlp": f"[{{endpoint: '{self.endpoint}', mode: forward, "
            "retry: {initial_interval: 50ms, max_interval: 100ms}}]"
        }

    def stop(self):
        self._server.stop(0).wait()

    def service(self, details):
        if details.method == TRACES:
            return grpc.unary_unary_rpc_method_handler(self._take)
        if details.method == METRICS:
            return grpc.unary_unary_rpc_method_handler(self._take_metrics)
        return None

    def _take_metrics(self, body, context):
        if self.is_down:
            context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        self.metrics.append(body)
        return b""

    def _take(self, body, context):
        if self.is_down:
            context.abort(grpc.StatusCode.UNAVAILABLE, "down")
        data = trace_pb2.TracesData.FromString(body)
        with self._lock:
            for group in data.resource_spans:
                for scope in group.scope_spans:
                    for span in scope.spans:
                        self.spans[span.trace_id.hex()].append(span)
        return b""

    def check(self, load, scores):
        """Assert that it has what was acknowledged, and the scores that were emitted."""
        missing = []
        for trace in load.traces:
            ids = {span.span_id for span in self.spans[trace.id]}
            # A late span that does not join is passed on all the same.
            least = trace.span_count * trace.is_sent + (trace.late_life is not None)
            if not least <= len(ids) <= trace.most:
                missing.append((trace.id, least, trace.most, len(ids)))
        assert missing == []
        assert self.scores() <= emitted(scores)
        self.check_roots(load)

    def check_roots(self, load):
        """Each trace that is whole has a root with scores."""
        with_scores = {trace_id for trace_id, *_ in self.scores()}
        assert {trace.id for trace in load.traces if trace.is_sent} <= with_scores

    def scores(self):
        """Return (trace id, revision, metric, value) of all that stands on spans."""
        found = set()
        for trace_id, spans in self.spans.items():
            for span in spans:
                assert len({pair.key for pair in span.attributes}) == len(span.attributes)
                own = {pair.key: pair.value for pair in span.attributes}
                for key, value in own.items():
                    if key.startswith(SCORE) and value.HasField("double_value"):
                        metric = key.removeprefix(SCORE)
                        revision = own[REVISION].int_value
                        found.add((trace_id, revision, metric, value.double_value))
        return found


def emitted(scores):
    """Return the same of a scores file."""
    return {(row["trace_id"], row["revision"], row["metric"], row["value"]) for row in scores.rows}
