"""Runs of a feature store's jobs, as values."""
from __future__ import annotations

import dataclasses
import datetime as dt
import enum
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .._models import Attribute


class JobType(enum.IntEnum):
    """What a job does; the numbers are those of the wire."""

    INVALID_JOB = 0
    BATCH_INGESTION_JOB = 1
    STREAM_INGESTION_JOB = 2
    RETRIEVAL_JOB = 4


class JobStatus(enum.IntEnum):
    """How a run stands; the numbers are those of the wire.

    >>> JobStatus.DONE.value
    3
    """

    INVALID = 0
    PENDING = 1
    RUNNING = 2
    DONE = 3
    ERROR = 4


@dataclasses.dataclass(frozen=True)
class BatchJobRecord:
    """One run. Times are aware and in UTC; None: not known. ``job_end_time`` is None while the run is open.

    ``start_time_param`` and ``end_time_param`` are the span of data that the run covers. ``spark_app_manifest`` is YAML.
    """

    id: str
    job_id: str
    type: JobType
    status: JobStatus
    job_start_time: Optional[dt.datetime]
    job_end_time: Optional[dt.datetime] = None
    project: str = ""
    table_name: str = ""
    start_time_param: Optional[dt.datetime] = None
    end_time_param: Optional[dt.datetime] = None
    output_location: str = ""
    feature_refs: Tuple[str, ...] = ()
    reason: str = ""
    error_message: str = ""
    attempts: int = 0
    spark_application_id: str = ""
    cluster: str = ""
    namespace: str = ""
    attributes: Mapping[str, Attribute] = dataclasses.field(default_factory=dict)
    spark_app_manifest: str = dataclasses.field(default="", repr=False)

    @property
    def duration(self) -> Optional[dt.timedelta]:
        """From start to end; None while the run is open."""
        if self.job_start_time is None or self.job_end_time is None:
            return None
        return self.job_end_time - self.job_start_time


_TIMES = ("job_start_time", "job_end_time", "start_time_param", "end_time_param")


class Records(List[BatchJobRecord]):
    """Runs, newest first: a list that can become a table.

    >>> Records([BatchJobRecord("r1", "job", JobType.BATCH_INGESTION_JOB, JobStatus.DONE, None)]).rows()[0]["status"]
    'DONE'
    """

    def rows(self) -> List[Dict[str, Any]]:
        """One dict a run: enums as words, attributes as label to value."""
        rows = []
        for record in self:
            row = {field.name: getattr(record, field.name) for field in dataclasses.fields(record)}
            row.update(type=record.type.name, status=record.status.name, feature_refs=list(record.feature_refs),
                       attributes={label: one.value for label, one in record.attributes.items()},
                       duration=record.duration)
            rows.append(row)
        return rows

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame`` with a row a run, times as ``datetime64[ns, UTC]``; needs the extra ``pandas``."""
        import pandas
        names = [field.name for field in dataclasses.fields(BatchJobRecord)] + ["duration"]
        frame = pandas.DataFrame(self.rows(), columns=names)
        for name in _TIMES:
            frame[name] = pandas.to_datetime(frame[name], utc=True)
        frame["duration"] = pandas.to_timedelta(frame["duration"])
        return frame

    def to_arrow(self) -> Any:
        """A ``pyarrow.Table`` with a row a run; needs the extra ``arrow``."""
        import pyarrow
        text, moment = pyarrow.string(), pyarrow.timestamp("us", tz="UTC")
        special = {**{name: moment for name in _TIMES}, "attempts": pyarrow.int32(),
                   "feature_refs": pyarrow.list_(text), "attributes": pyarrow.map_(text, text)}
        names = [field.name for field in dataclasses.fields(BatchJobRecord)]
        schema = pyarrow.schema([(name, special.get(name, text)) for name in names]
                                + [("duration", pyarrow.duration("us"))])
        return pyarrow.Table.from_pylist([{**row, "attributes": list(row["attributes"].items())}
                                          for row in self.rows()], schema=schema)
