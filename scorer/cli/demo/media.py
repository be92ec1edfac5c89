"""Sample traces with media: a picture that is described, a recording that is transcribed.

The references stand on the root span, as a canary or a test run would send them.
"""

import json

from scorer.cli.demo.scene import Scene, SceneSpan


def _messages(role: str, *parts: dict[str, str]) -> str:
    return json.dumps([{"role": role, "parts": parts}])


def _text(content: str) -> dict[str, str]:
    return {"type": "text", "content": content}


def _scene(
    title: str, agent: str, asked: tuple[dict[str, str], ...], answer: str, /, **reference: str
) -> Scene:
    content = {
        "gen_ai.input.messages": _messages("user", *asked),
        "gen_ai.output.messages": _messages("assistant", _text(answer)),
    }
    root = SceneSpan(
        key="agent",
        name=f"invoke_agent {agent}",
        start=0,
        end=1.9,
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent}
        | content
        | {f"spanscore.reference.{name}": text for name, text in reference.items()},
    )
    chat = SceneSpan(
        key="chat",
        parent="agent",
        name="chat gpt-4o-mini",
        start=0.1,
        end=1.8,
        kind="CLIENT",
        attributes={
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "gpt-4o-mini",
            "gen_ai.usage.input_tokens": 820,
            "gen_ai.usage.output_tokens": 24,
        }
        | content,
    )
    return Scene(title=title, service="shop-media", scope="media", spans=(root, chat))


def scenes() -> tuple[Scene, ...]:
    """Return the samples; nobody reads what their references name."""
    picture = {"type": "uri", "modality": "image", "mime_type": "image/png"}
    sound = {"type": "uri", "modality": "audio", "mime_type": "audio/wav"}
    film = {"type": "uri", "modality": "video", "mime_type": "video/mp4"}
    return (
        _scene(
            "a picture that is described",
            "captioner",
            (
                _text("Describe the picture for the catalogue."),
                picture | {"uri": "https://shop.example/photos/kettle.png"},
            ),
            "The picture shows a red kettle on a wooden table.",
            caption="A red kettle stands on a wooden table.",
        ),
        _scene(
            "a recording that is transcribed",
            "note-taker",
            (
                _text("Write down what is said on the voicemail."),
                sound | {"uri": "https://shop.example/voicemail/4711.wav"},
            ),
            "Hello, my order hasn't arrived yet. Please call me back after 5 today.",
            transcript="Hello, my order has not arrived yet, please call me back after five today.",
        ),
        _scene(
            "a film about which a question is answered",
            "film-reader",
            (
                _text("How long does the kettle in the video take to boil?"),
                film | {"uri": "https://shop.example/films/kettle.mp4"},
            ),
            "In the video the kettle takes 3 minutes to boil.",
            answer="3 minutes",
        ),
    )
