"""What can be read of a message that protobuf refuses.

Theory of operation. One text that is no UTF-8, or one value that nests deeper than protobuf
allows, makes the official message refuse the whole item. Then the item is read with a loose
shadow (`proto/scorer/pb/split/v1/split.proto`) whose texts are bytes and whose parts stay
unread, and copied by field name into the official message. Broken text becomes U+FFFD. Each
part is parsed by itself, first as it should be, then loosely; one that cannot be read either
way is left out and named.
"""

from collections.abc import Iterable
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message

from scorer.pb.split.v1 import split_pb2

MAX_NAMES: Final = 16
"""Names of parts that were left out that are kept of one trace."""

MAX_NAME_LENGTH: Final = 64
"""Characters of such a name."""

_ATTRIBUTES: Final = "attributes"
_LOOSE: Final[dict[str, type[Message]]] = {
    name.removeprefix("Loose"): getattr(split_pb2, name)
    for name in split_pb2.DESCRIPTOR.message_types_by_name
    if name.startswith("Loose")
}


class Losses:
    """Names of what was left out: the keys of attributes, the fields of other parts."""

    def __init__(self) -> None:
        self._names: dict[str, None] = {}

    def add(self, name: str) -> None:
        """Keep a name, cut to a bounded length; one over the bound is not kept."""
        if len(self._names) < MAX_NAMES:
            self._names[name[:MAX_NAME_LENGTH]] = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names, each once, in the order in which they came."""
        return tuple(self._names)


def mend(message: Message, wire: bytes, losses: Losses) -> bool:
    """Fill an empty message with what can be read of its bytes; False when nothing can."""
    try:
        loose = _LOOSE[message.DESCRIPTOR.name].FromString(wire)
    except DecodeError:
        return False
    _copy(loose, message, losses)
    return True


def _copy(loose: Message, message: Message, losses: Losses) -> None:
    fields = message.DESCRIPTOR.fields_by_name
    for found, value in loose.ListFields():
        field = fields[found.name]
        if field.message_type is None:
            is_text = field.type == FieldDescriptor.TYPE_STRING
            setattr(message, field.name, _text(value) if is_text else value)
        elif found.is_repeated:
            _extend(getattr(message, field.name), value, field.name, losses)
        else:
            part = getattr(message, field.name)
            part.SetInParent()
            if not _fill(part, value, field.name, losses):
                message.ClearField(field.name)


def _extend(parts: Any, sources: Iterable[Message | bytes], name: str, losses: Losses) -> None:
    for source in sources:
        if not _fill(parts.add(), source, name, losses):
            del parts[-1]


def _fill(part: Message, source: Message | bytes, name: str, losses: Losses) -> bool:
    """Fill a part; its source is bytes where the shadow leaves it unread."""
    if isinstance(source, Message):
        _copy(source, part, losses)
        return True
    try:
        part.ParseFromString(source)
    except DecodeError:
        part.Clear()
        if not mend(part, source, losses):
            losses.add((_key(source) or name) if name == _ATTRIBUTES else name)
            return False
    return True


def _key(attribute: bytes) -> str:
    try:
        return _text(split_pb2.LooseKey.FromString(attribute).key)
    except DecodeError:
        return ""


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
