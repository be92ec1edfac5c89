"""How much is kept of accounts that outlive a trace, such as privacy budgets."""

from typing import Annotated

from msgspec import Meta, Struct


class AccountsConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bounds of what is kept; no account is dropped before its time is over."""

    max_accounts: Annotated[
        int, Meta(ge=1, description="accounts that are kept; what would open another has no score")
    ] = 100_000
    max_spans: Annotated[
        int,
        Meta(
            ge=1,
            description="booked spans that are remembered, so that none is booked twice; the "
            "oldest are forgotten",
        ),
    ] = 1_000_000
