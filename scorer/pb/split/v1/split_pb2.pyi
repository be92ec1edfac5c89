from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Traces(_message.Message):
    __slots__ = ("resource_spans",)
    RESOURCE_SPANS_FIELD_NUMBER: _ClassVar[int]
    resource_spans: _containers.RepeatedCompositeFieldContainer[ResourceSpans]
    def __init__(self, resource_spans: _Optional[_Iterable[_Union[ResourceSpans, _Mapping]]] = ...) -> None: ...

class ResourceSpans(_message.Message):
    __slots__ = ("resource", "scope_spans")
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_SPANS_FIELD_NUMBER: _ClassVar[int]
    resource: _containers.RepeatedScalarFieldContainer[bytes]
    scope_spans: _containers.RepeatedCompositeFieldContainer[ScopeSpans]
    def __init__(self, resource: _Optional[_Iterable[bytes]] = ..., scope_spans: _Optional[_Iterable[_Union[ScopeSpans, _Mapping]]] = ...) -> None: ...

class ScopeSpans(_message.Message):
    __slots__ = ("scope", "spans")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SPANS_FIELD_NUMBER: _ClassVar[int]
    scope: _containers.RepeatedScalarFieldContainer[bytes]
    spans: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, scope: _Optional[_Iterable[bytes]] = ..., spans: _Optional[_Iterable[bytes]] = ...) -> None: ...

class SpanHead(_message.Message):
    __slots__ = ("trace_id", "span_id", "parent_span_id", "kind", "end_time_unix_nano")
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    END_TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    trace_id: bytes
    span_id: bytes
    parent_span_id: bytes
    kind: int
    end_time_unix_nano: int
    def __init__(self, trace_id: _Optional[bytes] = ..., span_id: _Optional[bytes] = ..., parent_span_id: _Optional[bytes] = ..., kind: _Optional[int] = ..., end_time_unix_nano: _Optional[int] = ...) -> None: ...

class SpanPlace(_message.Message):
    __slots__ = ("span_id", "parent_span_id", "start_time_unix_nano")
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    START_TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    span_id: bytes
    parent_span_id: bytes
    start_time_unix_nano: int
    def __init__(self, span_id: _Optional[bytes] = ..., parent_span_id: _Optional[bytes] = ..., start_time_unix_nano: _Optional[int] = ...) -> None: ...

class SpanOutcome(_message.Message):
    __slots__ = ("status",)
    STATUS_FIELD_NUMBER: _ClassVar[int]
    status: SpanStatus
    def __init__(self, status: _Optional[_Union[SpanStatus, _Mapping]] = ...) -> None: ...

class SpanStatus(_message.Message):
    __slots__ = ("code",)
    CODE_FIELD_NUMBER: _ClassVar[int]
    code: int
    def __init__(self, code: _Optional[int] = ...) -> None: ...

class Logs(_message.Message):
    __slots__ = ("resource_logs",)
    RESOURCE_LOGS_FIELD_NUMBER: _ClassVar[int]
    resource_logs: _containers.RepeatedCompositeFieldContainer[ResourceLogs]
    def __init__(self, resource_logs: _Optional[_Iterable[_Union[ResourceLogs, _Mapping]]] = ...) -> None: ...

class ResourceLogs(_message.Message):
    __slots__ = ("resource", "scope_logs")
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_LOGS_FIELD_NUMBER: _ClassVar[int]
    resource: _containers.RepeatedScalarFieldContainer[bytes]
    scope_logs: _containers.RepeatedCompositeFieldContainer[ScopeLogs]
    def __init__(self, resource: _Optional[_Iterable[bytes]] = ..., scope_logs: _Optional[_Iterable[_Union[ScopeLogs, _Mapping]]] = ...) -> None: ...

class ScopeLogs(_message.Message):
    __slots__ = ("scope", "log_records")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    LOG_RECORDS_FIELD_NUMBER: _ClassVar[int]
    scope: _containers.RepeatedScalarFieldContainer[bytes]
    log_records: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, scope: _Optional[_Iterable[bytes]] = ..., log_records: _Optional[_Iterable[bytes]] = ...) -> None: ...

class LogHead(_message.Message):
    __slots__ = ("time_unix_nano", "trace_id", "span_id", "observed_time_unix_nano")
    TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    time_unix_nano: int
    trace_id: bytes
    span_id: bytes
    observed_time_unix_nano: int
    def __init__(self, time_unix_nano: _Optional[int] = ..., trace_id: _Optional[bytes] = ..., span_id: _Optional[bytes] = ..., observed_time_unix_nano: _Optional[int] = ...) -> None: ...

class LooseSpan(_message.Message):
    __slots__ = ("trace_id", "span_id", "parent_span_id", "name", "kind", "start_time_unix_nano", "end_time_unix_nano", "attributes", "dropped_attributes_count", "events", "dropped_events_count", "links", "dropped_links_count", "status", "flags")
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    PARENT_SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    START_TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    END_TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_ATTRIBUTES_COUNT_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_EVENTS_COUNT_FIELD_NUMBER: _ClassVar[int]
    LINKS_FIELD_NUMBER: _ClassVar[int]
    DROPPED_LINKS_COUNT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    trace_id: bytes
    span_id: bytes
    parent_span_id: bytes
    name: bytes
    kind: int
    start_time_unix_nano: int
    end_time_unix_nano: int
    attributes: _containers.RepeatedScalarFieldContainer[bytes]
    dropped_attributes_count: int
    events: _containers.RepeatedScalarFieldContainer[bytes]
    dropped_events_count: int
    links: _containers.RepeatedScalarFieldContainer[bytes]
    dropped_links_count: int
    status: bytes
    flags: int
    def __init__(self, trace_id: _Optional[bytes] = ..., span_id: _Optional[bytes] = ..., parent_span_id: _Optional[bytes] = ..., name: _Optional[bytes] = ..., kind: _Optional[int] = ..., start_time_unix_nano: _Optional[int] = ..., end_time_unix_nano: _Optional[int] = ..., attributes: _Optional[_Iterable[bytes]] = ..., dropped_attributes_count: _Optional[int] = ..., events: _Optional[_Iterable[bytes]] = ..., dropped_events_count: _Optional[int] = ..., links: _Optional[_Iterable[bytes]] = ..., dropped_links_count: _Optional[int] = ..., status: _Optional[bytes] = ..., flags: _Optional[int] = ...) -> None: ...

class LooseEvent(_message.Message):
    __slots__ = ("time_unix_nano", "name", "attributes", "dropped_attributes_count")
    TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_ATTRIBUTES_COUNT_FIELD_NUMBER: _ClassVar[int]
    time_unix_nano: int
    name: bytes
    attributes: _containers.RepeatedScalarFieldContainer[bytes]
    dropped_attributes_count: int
    def __init__(self, time_unix_nano: _Optional[int] = ..., name: _Optional[bytes] = ..., attributes: _Optional[_Iterable[bytes]] = ..., dropped_attributes_count: _Optional[int] = ...) -> None: ...

class LooseLink(_message.Message):
    __slots__ = ("trace_id", "span_id", "attributes", "dropped_attributes_count")
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_ATTRIBUTES_COUNT_FIELD_NUMBER: _ClassVar[int]
    trace_id: bytes
    span_id: bytes
    attributes: _containers.RepeatedScalarFieldContainer[bytes]
    dropped_attributes_count: int
    def __init__(self, trace_id: _Optional[bytes] = ..., span_id: _Optional[bytes] = ..., attributes: _Optional[_Iterable[bytes]] = ..., dropped_attributes_count: _Optional[int] = ...) -> None: ...

class LooseStatus(_message.Message):
    __slots__ = ("message", "code")
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    message: bytes
    code: int
    def __init__(self, message: _Optional[bytes] = ..., code: _Optional[int] = ...) -> None: ...

class LooseLogRecord(_message.Message):
    __slots__ = ("time_unix_nano", "body", "attributes", "dropped_attributes_count", "trace_id", "span_id", "observed_time_unix_nano", "event_name")
    TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_ATTRIBUTES_COUNT_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SPAN_ID_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_TIME_UNIX_NANO_FIELD_NUMBER: _ClassVar[int]
    EVENT_NAME_FIELD_NUMBER: _ClassVar[int]
    time_unix_nano: int
    body: bytes
    attributes: _containers.RepeatedScalarFieldContainer[bytes]
    dropped_attributes_count: int
    trace_id: bytes
    span_id: bytes
    observed_time_unix_nano: int
    event_name: bytes
    def __init__(self, time_unix_nano: _Optional[int] = ..., body: _Optional[bytes] = ..., attributes: _Optional[_Iterable[bytes]] = ..., dropped_attributes_count: _Optional[int] = ..., trace_id: _Optional[bytes] = ..., span_id: _Optional[bytes] = ..., observed_time_unix_nano: _Optional[int] = ..., event_name: _Optional[bytes] = ...) -> None: ...

class LooseResource(_message.Message):
    __slots__ = ("attributes",)
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    attributes: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, attributes: _Optional[_Iterable[bytes]] = ...) -> None: ...

class LooseInstrumentationScope(_message.Message):
    __slots__ = ("name", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: bytes
    version: bytes
    def __init__(self, name: _Optional[bytes] = ..., version: _Optional[bytes] = ...) -> None: ...

class LooseKeyValue(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: bytes
    value: LooseAnyValue
    def __init__(self, key: _Optional[bytes] = ..., value: _Optional[_Union[LooseAnyValue, _Mapping]] = ...) -> None: ...

class LooseAnyValue(_message.Message):
    __slots__ = ("string_value", "bool_value", "int_value", "double_value", "array_value", "kvlist_value", "bytes_value")
    STRING_VALUE_FIELD_NUMBER: _ClassVar[int]
    BOOL_VALUE_FIELD_NUMBER: _ClassVar[int]
    INT_VALUE_FIELD_NUMBER: _ClassVar[int]
    DOUBLE_VALUE_FIELD_NUMBER: _ClassVar[int]
    ARRAY_VALUE_FIELD_NUMBER: _ClassVar[int]
    KVLIST_VALUE_FIELD_NUMBER: _ClassVar[int]
    BYTES_VALUE_FIELD_NUMBER: _ClassVar[int]
    string_value: bytes
    bool_value: bool
    int_value: int
    double_value: float
    array_value: LooseArrayValue
    kvlist_value: LooseKeyValueList
    bytes_value: bytes
    def __init__(self, string_value: _Optional[bytes] = ..., bool_value: _Optional[bool] = ..., int_value: _Optional[int] = ..., double_value: _Optional[float] = ..., array_value: _Optional[_Union[LooseArrayValue, _Mapping]] = ..., kvlist_value: _Optional[_Union[LooseKeyValueList, _Mapping]] = ..., bytes_value: _Optional[bytes] = ...) -> None: ...

class LooseArrayValue(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[LooseAnyValue]
    def __init__(self, values: _Optional[_Iterable[_Union[LooseAnyValue, _Mapping]]] = ...) -> None: ...

class LooseKeyValueList(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[LooseKeyValue]
    def __init__(self, values: _Optional[_Iterable[_Union[LooseKeyValue, _Mapping]]] = ...) -> None: ...

class LooseKey(_message.Message):
    __slots__ = ("key",)
    KEY_FIELD_NUMBER: _ClassVar[int]
    key: bytes
    def __init__(self, key: _Optional[bytes] = ...) -> None: ...
