"""What part of the traces is passed on."""

from typing import Annotated

from msgspec import Meta, Struct

Share = Annotated[float, Meta(ge=0, le=1)]


class SamplingConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which traces a target gets, decided when they are scored: `{keep_failing: true, share: 0.1}`.

    A trace fails when a score is outside its threshold, or a span has the status ERROR.
    `services` maps globs to shares of their own, the first that matches decides.
    """

    keep_failing: bool = True
    share: Share = 1.0
    services: dict[str, Share] = {}
