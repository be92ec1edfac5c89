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
    resource: bytes
    scope_spans: _containers.RepeatedCompositeFieldContainer[ScopeSpans]
    def __init__(self, resource: _Optional[bytes] = ..., scope_spans: _Optional[_Iterable[_Union[ScopeSpans, _Mapping]]] = ...) -> None: ...

class ScopeSpans(_message.Message):
    __slots__ = ("scope", "spans")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    SPANS_FIELD_NUMBER: _ClassVar[int]
    scope: bytes
    spans: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, scope: _Optional[bytes] = ..., spans: _Optional[_Iterable[bytes]] = ...) -> None: ...

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

class Logs(_message.Message):
    __slots__ = ("resource_logs",)
    RESOURCE_LOGS_FIELD_NUMBER: _ClassVar[int]
    resource_logs: _containers.RepeatedCompositeFieldContainer[ResourceLogs]
    def __init__(self, resource_logs: _Optional[_Iterable[_Union[ResourceLogs, _Mapping]]] = ...) -> None: ...

class ResourceLogs(_message.Message):
    __slots__ = ("resource", "scope_logs")
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    SCOPE_LOGS_FIELD_NUMBER: _ClassVar[int]
    resource: bytes
    scope_logs: _containers.RepeatedCompositeFieldContainer[ScopeLogs]
    def __init__(self, resource: _Optional[bytes] = ..., scope_logs: _Optional[_Iterable[_Union[ScopeLogs, _Mapping]]] = ...) -> None: ...

class ScopeLogs(_message.Message):
    __slots__ = ("scope", "log_records")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    LOG_RECORDS_FIELD_NUMBER: _ClassVar[int]
    scope: bytes
    log_records: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, scope: _Optional[bytes] = ..., log_records: _Optional[_Iterable[bytes]] = ...) -> None: ...

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
