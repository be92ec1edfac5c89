"""Prices of model calls, from the offline table of `genai-prices`.

That package takes a fifth of a second to import and some 60 us for one price, so it is
imported on first use, and the price of a model is reduced to a rate per token once. Only
models whose price depends on the length of the prompt go through the package every time.
Prices hold at the time of the call, so that a replay gives what the live run gave.
"""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from scorer.api import LlmCall, Usage

_MILLION = 1_000_000
_MAX_KNOWN = 4096

# Without a time of the call the newest price holds: still the same live and in a replay.
_NO_TIME = datetime(9999, 1, 1, tzinfo=UTC)


class UnknownModelError(LookupError):
    """The price table has no such model; the text is the model's name."""


class _Rates(NamedTuple):
    """USD: per call, and per token of fresh input, output, cache read and cache write."""

    call: Decimal
    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal


class PriceTable:
    """Prices model calls; remembers what it found, and what it did not find."""

    def __init__(self) -> None:
        self._models: dict[tuple[str, str | None], Any] = {}
        self._rates: dict[int, tuple[Any, _Rates | None]] = {}

    @property
    def version(self) -> str:
        """Name and version of the price table."""
        from genai_prices import __version__  # noqa: PLC0415 - slow to import

        return f"genai-prices {__version__}"

    def usd(self, call: LlmCall) -> float:
        """Return the price of one call in USD.

        Raises:
            UnknownModelError: the table has no price for its model.
        """
        usage = call.usage
        if not usage.input and not usage.output:
            return 0.0
        if call.model is None:
            raise UnknownModelError("(no model)")
        model = self._find(call.model, call.provider)
        if model is None:
            raise UnknownModelError(call.model)
        # A list of prices depends on the time.
        timed = isinstance(model.prices, list)
        prices = model.get_prices(_moment(call)) if timed else model.prices
        rates = self._rates_of(prices)
        if rates is None:
            return float(_price(prices, usage))
        return float(_linear(rates, usage))

    def _find(self, model: str, provider: str | None) -> Any:
        key = (model, provider)
        if key not in self._models:
            if len(self._models) >= _MAX_KNOWN:
                self._models.clear()
            self._models[key] = _look_up(model, provider)
        return self._models[key]

    def _rates_of(self, prices: Any) -> _Rates | None:
        """Return the rates of a price, None if they depend on the amount."""
        kept = self._rates.get(id(prices))
        if kept is None:
            kept = self._rates[id(prices)] = (prices, _reduce(prices))
        return kept[1]


def _look_up(model: str, provider: str | None) -> Any:
    """Find a model's prices; a provider that the table does not know is left to the model."""
    from genai_prices import data_snapshot  # noqa: PLC0415 - slow to import

    table = data_snapshot.get_snapshot()
    for wanted in dict.fromkeys((provider, None)):
        try:
            return table.find_provider_model(model, None, wanted, None)[1]
        except LookupError:
            continue
    return None


def _moment(call: LlmCall) -> datetime:
    return datetime.fromtimestamp(call.start_ns / 1e9, tz=UTC) if call.start_ns else _NO_TIME


def _reduce(prices: Any) -> _Rates | None:
    values = [value for value in vars(prices).values() if value is not None]
    if not all(isinstance(value, Decimal) for value in values):
        return None
    call = _price(prices, Usage(input=0, output=0))
    fresh = _price(prices, Usage(input=_MILLION, output=0)) - call
    return _Rates(
        call,
        fresh / _MILLION,
        (_price(prices, Usage(input=0, output=_MILLION)) - call) / _MILLION,
        (_price(prices, Usage(input=_MILLION, output=0, cache_read=_MILLION)) - call) / _MILLION,
        (_price(prices, Usage(input=_MILLION, output=0, cache_write=_MILLION)) - call) / _MILLION,
    )


def _linear(rates: _Rates, usage: Usage) -> Decimal:
    read, write = usage.cache_read or 0, usage.cache_write or 0
    fresh = max(0, (usage.input or 0) - read - write)
    total = rates.call + rates.input * fresh + rates.output * (usage.output or 0)
    if read or write:
        total = total + rates.cache_read * read + rates.cache_write * write
    return total


def _price(prices: Any, usage: Usage) -> Decimal:
    from genai_prices import Usage as Counts  # noqa: PLC0415 - slow to import

    read, write = usage.cache_read or 0, usage.cache_write or 0
    counts = Counts(
        input_tokens=max(usage.input or 0, read + write),
        output_tokens=usage.output or 0,
        cache_read_tokens=read,
        cache_write_tokens=write,
    )
    total: Decimal = prices.calc_price(counts)["total_price"]
    return total
