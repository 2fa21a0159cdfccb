"""The gRPC client."""
from __future__ import annotations

import datetime as dt
import pathlib
import random
import time
import warnings
from types import TracebackType
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Type, Union

import grpc

from .._errors import (
    ApiError,
    Conflict,
    InvalidArgument,
    NotFound,
    PermissionDenied,
    RateLimited,
    Unavailable,
)
from .._models import Attribute
from .._requests import USER_HEADER, Token
from .._times import Seconds, seconds_of
from .._version import __version__
from ._messages import ListBatchJobRecordsRequest, ListBatchJobRecordsResponse
from ._models import BatchJobRecord, JobStatus, JobType, Records

_SERVICE = "/feast_spark.api.JobService/"
_PAGE = 200
_TRUNCATED = "waybill-truncated-manifests"
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.timezone.utc)
_ERRORS: Mapping[str, Type[ApiError]] = {
    "INVALID_ARGUMENT": InvalidArgument, "OUT_OF_RANGE": InvalidArgument, "NOT_FOUND": NotFound,
    "UNAUTHENTICATED": PermissionDenied, "PERMISSION_DENIED": PermissionDenied, "ALREADY_EXISTS": Conflict,
    "FAILED_PRECONDITION": Conflict, "ABORTED": Conflict, "RESOURCE_EXHAUSTED": RateLimited,
    "UNAVAILABLE": Unavailable, "DEADLINE_EXCEEDED": Unavailable}


class Client:
    """A connection to the gRPC API of a server. Threads may share it; close it, or use it in a ``with``.

    target: HOST:PORT. user: who asks, where a trusted proxy or the loopback address says so. token: a bearer token, or a
    function that gives one. metadata: more of it, with every call. tls: on by itself where `ca` or `cert` is given; ca,
    cert: PEM files, ``cert`` as (certificate, key). timeout: seconds a call may take. retries: how often a read is tried
    again while the server is away.

    >>> with Client("localhost:6565") as client:
    ...     client.target
    'localhost:6565'
    """

    def __init__(self, target: str = "localhost:6565", *, user: Optional[str] = None, token: Optional[Token] = None,
                 metadata: Sequence[Tuple[str, str]] = (), tls: bool = False, ca: Optional[str] = None,
                 cert: Optional[Tuple[str, str]] = None, timeout: Seconds = 60, retries: int = 3) -> None:
        self.target = target
        self._user, self._token, self._metadata = user, token, tuple(metadata)
        self._timeout, self._retries = seconds_of(timeout), retries
        options = [("grpc.primary_user_agent", f"waybill-sdk/{__version__}")]
        if tls or ca or cert:
            read = [pathlib.Path(path).read_bytes() if path else None for path in (ca, *(cert or (None, None)))]
            self._channel = grpc.secure_channel(target, grpc.ssl_channel_credentials(read[0], read[2], read[1]), options)
        else:
            self._channel = grpc.insecure_channel(target, options)
        self._list = self._channel.unary_unary(
            _SERVICE + "ListBatchJobRecords", request_serializer=ListBatchJobRecordsRequest.SerializeToString,
            response_deserializer=ListBatchJobRecordsResponse.FromString)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Ends its connection."""
        self._channel.close()

    def list_batch_job_records(
            self, project: str, table: Optional[str] = None, start: Optional[dt.datetime] = None,
            end: Optional[dt.datetime] = None, *, type: Optional[JobType] = None,
            status: Optional[JobStatus] = None, table_name: Optional[str] = None,
            start_utc: Optional[dt.datetime] = None, end_utc: Optional[dt.datetime] = None,
            job_type: Union[JobType, int, None] = None) -> Records:
        """The runs of a feature table, newest first, whole: pages are read behind the scenes.

        start, end: when the run began, both included; without `start` the seven days before `end`, or before now. A
        datetime without a time zone counts as UTC, with a warning. type: BATCH_INGESTION_JOB if nothing is said,
        INVALID_JOB for every type. table_name, start_utc, end_utc and job_type are other names of the same.

        NotFound: neither a feature table of that name nor a run of one. InvalidArgument names the argument.
        """
        table = _either("table", table, "table_name", table_name)
        start = _either("start", start, "start_utc", start_utc)
        end = _either("end", end, "end_utc", end_utc)
        kind = _either("type", type, "job_type", job_type)
        request = ListBatchJobRecordsRequest(
            project=project, table_name=table or "", page_size=_PAGE,
            type=int(JobType.BATCH_INGESTION_JOB if kind is None else kind), status=int(status or 0))
        _set_time(request.start, "start", start)
        _set_time(request.end, "end", end)
        found = Records()
        while True:
            response = self._whole_page(request)
            found.extend(_record(row) for row in response.records)
            if not response.next_page_token:
                return found
            request.page_token = response.next_page_token

    def _whole_page(self, request: Any) -> Any:
        """A page with all its manifests: where they don't fit into one answer, a smaller one."""
        while True:
            try:
                response, trailers = self._call(request)
            except RateLimited:
                if request.page_size <= 1:
                    raise
                request.page_size //= 2
                continue
            if int(trailers.get(_TRUNCATED, 0)) == 0 or request.page_size <= 1:
                return response
            request.page_size = max(1, request.page_size // 2)

    def _call(self, request: Any) -> Tuple[Any, Mapping[str, Any]]:
        attempt = 0
        while True:
            attempt += 1
            try:
                response, call = self._list.with_call(request, timeout=self._timeout, metadata=self._sent())
                return response, dict(call.trailing_metadata() or ())
            except grpc.RpcError as problem:
                error = _error(problem)
                if not isinstance(error, Unavailable) or attempt > self._retries:
                    raise error from problem
            time.sleep(random.uniform(0.5, 1.0) * min(0.2 * 2.0 ** attempt, 10.0))

    def _sent(self) -> Tuple[Tuple[str, str], ...]:
        sent: List[Tuple[str, str]] = list(self._metadata)
        if self._user:
            sent.append((USER_HEADER.lower(), self._user))
        if self._token:
            token = self._token() if callable(self._token) else self._token
            sent.append(("authorization", f"Bearer {token}"))
        return tuple(sent)


def _either(name: str, value: Any, other_name: str, other: Any) -> Any:
    if value is not None and other is not None:
        raise ValueError(f"{name} and {other_name} are the same; give one of them")
    return other if value is None else value


def _set_time(into: Any, name: str, time_given: Optional[dt.datetime]) -> None:
    if time_given is None:
        return
    if time_given.tzinfo is None:
        warnings.warn(f"{name}: {time_given.isoformat()} has no time zone and counts as UTC", stacklevel=4)
        time_given = time_given.replace(tzinfo=dt.timezone.utc)
    since = time_given - _EPOCH
    into.seconds = since.days * 86400 + since.seconds
    into.nanos = since.microseconds * 1000
    into.SetInParent()  # the moment 0 is one too


def _time(message: Any, field: str) -> Optional[dt.datetime]:
    if not message.HasField(field):
        return None
    value = getattr(message, field)
    if value.seconds == -1 and value.nanos == 0:
        return None  # the end of a run that is open
    return _EPOCH + dt.timedelta(seconds=value.seconds, microseconds=value.nanos // 1000)


def _record(row: Any) -> BatchJobRecord:
    meta = row.batch_ingestion if row.HasField("batch_ingestion") else None
    retrieval = row.retrieval if row.HasField("retrieval") else None
    either = meta if meta is not None else retrieval
    return BatchJobRecord(
        id=row.id, job_id=row.job_id, type=JobType(row.type), status=JobStatus(row.status),
        job_start_time=_time(row, "job_start_time"), job_end_time=_time(row, "job_end_time"),
        project=either.project if either is not None else "", table_name=meta.table_name if meta is not None else "",
        start_time_param=_time(meta, "start_time_param") if meta is not None else None,
        end_time_param=_time(meta, "end_time_param") if meta is not None else None,
        output_location=retrieval.output_location if retrieval is not None else "",
        feature_refs=tuple(retrieval.feature_refs) if retrieval is not None else (),
        reason=row.reason, error_message=row.error_message, attempts=row.attempts,
        spark_application_id=row.spark_application_id, cluster=row.cluster, namespace=getattr(row, "namespace"),
        attributes={one.label: Attribute(one.kind, one.value) for one in row.attributes},
        spark_app_manifest=row.spark_app_manifest)


def _error(problem: Any) -> ApiError:
    code = problem.code()
    kind = _ERRORS.get(code.name, ApiError)
    return kind(code.value[0], code.name.lower(), problem.details() or code.name)
