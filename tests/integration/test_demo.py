"""The demo's sample traces: sent over a real connection, and scored as their titles say."""

import asyncio

import grpc
import pytest
from certificates import Authority
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2, logs_service_pb2_grpc
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from scorer.access.certificates import ServerTls
from scorer.cli.demo.feed import feed, scenes
from scorer.cli.demo.scene import encode
from scorer.config import AuthConfig, GrpcConfig, TlsConfig, parse_config
from scorer.receivers.files import StoredFiles, collect
from scorer.scoring.engine import build_engine

END = 1_760_000_000 * 10**9


class Collector(
    trace_service_pb2_grpc.TraceServiceServicer, logs_service_pb2_grpc.LogsServiceServicer
):
    """Keeps the trace ids that arrive; answers the first request that it is busy."""

    def __init__(self, enough):
        self.trace_ids = set()
        self.requests = 0
        self.tokens = set()
        self._enough = enough
        self.done = asyncio.Event()

    async def Export(self, request, context):  # noqa: N802 - the name of the RPC
        self.requests += 1
        self.tokens.add(dict(context.invocation_metadata()).get("authorization"))
        if self.requests == 1:
            await context.abort(grpc.StatusCode.UNAVAILABLE, "busy")
        if isinstance(request, logs_service_pb2.ExportLogsServiceRequest):
            return logs_service_pb2.ExportLogsServiceResponse()
        for resource_spans in request.resource_spans:
            self.trace_ids |= {span.trace_id for span in resource_spans.scope_spans[0].spans}
        if len(self.trace_ids) >= self._enough:
            self.done.set()
        return trace_service_pb2.ExportTraceServiceResponse()


async def fed(collector, receiver, credentials=None):
    """Run the feed against a collector until it has enough."""
    server, stop = grpc.aio.server(), asyncio.Event()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(collector, server)
    logs_service_pb2_grpc.add_LogsServiceServicer_to_server(collector, server)
    port = (
        server.add_insecure_port("127.0.0.1:0")
        if credentials is None
        else server.add_secure_port("127.0.0.1:0", credentials)
    )
    await server.start()
    feeder = asyncio.create_task(feed(("127.0.0.1", port), stop, receiver))
    await asyncio.wait_for(collector.done.wait(), 10)
    stop.set()
    await asyncio.wait_for(feeder, 10)
    await server.stop(0)


async def test_the_feed_sends_until_it_is_stopped(monkeypatch):
    """A refused request is left and the next traces are sent; `stop` ends the feed."""
    monkeypatch.setattr("scorer.cli.demo.feed._INTERVAL_S", 0.001)
    collector = Collector(3)
    await fed(collector, GrpcConfig())
    assert collector.tokens == {None}


@pytest.mark.parametrize("name", ["scorer.example", "*.scorer.example", "10.1.2.3"])
async def test_the_feed_gets_through_tls_and_tokens(name, monkeypatch, tmp_path):
    """It trusts the server's own certificate, whatever its name, and sends the first token."""
    monkeypatch.setattr("scorer.cli.demo.feed._INTERVAL_S", 0.001)
    pair = Authority(tmp_path).issue(name, file="server")
    tokens = tmp_path / "tokens"
    tokens.touch(mode=0o600)
    tokens.write_text("the-first-token-of-all\nthe-second-token-of-all\n")
    tls = TlsConfig(cert_file=pair.cert_file, key_file=pair.key_file)
    receiver = GrpcConfig(tls=tls, auth=AuthConfig(bearer_tokens_file=str(tokens)))
    collector = Collector(3)
    await fed(collector, receiver, ServerTls(tls, "receivers.otlp.grpc.tls").grpc_credentials())
    assert collector.tokens == {"Bearer the-first-token-of-all"}


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """Every sample trace, scored, by title."""
    engine = build_engine(
        parse_config({"scoring": {"metrics": ["default", "multiagent", "multimodal"]}})
    )
    results = {}
    for scene in scenes():
        folder = tmp_path_factory.mktemp("scene")
        for number, request in enumerate(encode(scene, END)):
            body = request.SerializeToString()
            (folder / f"{number}.bin").write_bytes(len(body).to_bytes(4, "big") + body)
        (closed,) = collect(StoredFiles([str(folder)]))
        results[scene.title] = engine.score(closed)
    return results


def value(trace, metric):
    return next(s.value for s in trace.scores if (s.metric, s.output) == (metric, "value"))


def test_three_dialects_are_shown(scored):
    """The demo speaks each built-in dialect."""
    dialects = {name for trace in scored.values() for name in trace.dialects}
    assert dialects == {"otel_genai", "openinference", "openllmetry"}


def test_faithful_and_invented_answers_differ(scored):
    """The samples of good and bad answers are told apart."""
    assert value(scored["a faithful answer from retrieved passages"], "faithfulness") > 0.8
    assert value(scored["a faithful answer, LangChain style"], "faithfulness") > 0.8
    invented = scored["an answer that its passages do not support"]
    assert value(invented, "hallucination_rate") > 0.9
    assert "hallucination_rate" in invented.breaches


def test_the_team_has_every_multiagent_score(scored):
    """Its events tell what passes between the agents: a ring of three that divides the work."""
    trace = scored["three agents that talk"]
    found = [score for score in trace.scores if score.kind == "multiagent"]
    assert {score.status for score in found} == {"scored"}
    assert value(trace, "network_fault_tolerance") == 1.0
    assert value(trace, "coordination_efficiency") > 0.8


def test_media_are_compared_with_their_references(scored):
    """Seven of the answer's 10 words are in the caption of 8; 2 of 14 are written otherwise."""
    picture = scored["a picture that is described"]
    # 2 * 0.7 * 0.875 / 1.575 = 0.78; with the extra `embed` 0.7 of the cosine and 0.3 of that
    assert 0.75 < value(picture, "image_caption_accuracy") < 0.9
    assert value(picture, "multimodal_coherence") == 1.0
    recording = scored["a recording that is transcribed"]
    assert value(recording, "audio_transcription_quality") == pytest.approx(12 / 14)


def test_what_needs_the_sidecar_says_so(scored):
    """Nothing fetches the picture: its score is skipped, with a reason."""
    trace = scored["a picture that is described"]
    (score,) = [score for score in trace.scores if score.metric == "cross_modal_grounding"]
    assert (score.status, score.reason) == ("skipped", "sidecar_unavailable")


def test_an_answer_is_compared_with_its_reference(scored):
    """The answer says no more than the question and the reference."""
    film = scored["a film about which a question is answered"]
    assert value(film, "answer_correctness") == 1.0
    assert film.breaches == ()


def test_bad_samples_breach_their_thresholds(scored):
    """The leak, the failing tool and the slow run each show on a dashboard."""
    assert "pii_leakage" in scored["an answer that leaks personal data"].breaches
    assert "tool_success" in scored["a tool that fails"].breaches
    slow = scored["a slow and expensive run"]
    assert "latency" in slow.breaches
    assert value(slow, "cost") > 0.5


def test_good_samples_breach_nothing(scored):
    """A good trace is not shown as a bad one."""
    for title in (
        "a faithful answer from retrieved passages",
        "a faithful answer, LangChain style",
        "a tool that works",
        "two agents and a handoff",
        "three agents that talk",
    ):
        assert scored[title].breaches == (), title


def test_a_plain_request_is_not_an_agent(scored):
    """The sample that is no agent's is not scored."""
    assert scored["a plain HTTP request, not an agent"].verdict == "not_agent"
    verdicts = [trace.verdict for trace in scored.values()]
    assert verdicts.count("scored") == len(verdicts) - 1


def test_content_in_log_records_is_read(scored):
    """The older convention's events in log records give an answer to look at."""
    trace = scored["content in log records, the older convention"]
    assert value(trace, "pii_leakage") == 1.0
