"""What the server says, as values."""
from __future__ import annotations

import dataclasses
import datetime as dt
import enum
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._times import between, parsed


class JobStatus(str, enum.Enum):
    """Where a job is in its life.

    >>> JobStatus("KILLED").is_final
    True
    """

    NEW = "NEW"
    ACCEPTED = "ACCEPTED"
    RUNNING = "RUNNING"
    FAILED = "FAILED"
    KILLED = "KILLED"
    SUCCEEDED = "SUCCEEDED"
    CANCELING = "CANCELING"
    CANCELED = "CANCELED"

    @property
    def is_final(self) -> bool:
        """Whether nothing changes any more."""
        return self in (JobStatus.FAILED, JobStatus.KILLED, JobStatus.SUCCEEDED, JobStatus.CANCELED)


class RecordStatus(str, enum.Enum):
    """How a run on a cluster stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    DONE = "DONE"
    ERROR = "ERROR"


@dataclasses.dataclass(frozen=True)
class Attribute:
    """What a cluster's configuration says of its jobs: a link or a text.

    >>> Attribute("link", "https://history.example.com/1").is_link
    True
    """

    kind: str
    value: str
    show: str = "always"
    position: int = 0

    @property
    def is_link(self) -> bool:
        """Whether the value is an absolute URL."""
        return self.kind == "link"

    def is_shown(self, running: bool, failed: bool) -> bool:
        """Whether a reader wants to see it now, as the configuration says."""
        return {"running": running, "finished": not running, "failed": failed}.get(self.show, True)


def attributes_of(value: Optional[Mapping[str, Any]]) -> Dict[str, Attribute]:
    """In the order of the configuration."""
    found = [(label, Attribute(one.get("kind", "text"), one.get("value", ""), one.get("show", "always"),
                               one.get("position", 0))) for label, one in (value or {}).items()]
    return dict(sorted(found, key=lambda item: (item[1].position, item[0])))


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a result."""

    name: str
    type: str


@dataclasses.dataclass(frozen=True)
class Result:
    """A table that a job answered.

    >>> Result((Column("n", "int"),), [[1], [2]]).rows
    [[1], [2]]
    """

    columns: Tuple[Column, ...]
    rows: List[List[Any]]
    truncated: bool = False

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Result:
        """From the server's JSON."""
        return cls(tuple(Column(one["name"], one["type"]) for one in value.get("columns") or ()),
                   list(value.get("data") or ()), bool(value.get("truncated")))

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``; needs the extra ``pandas``."""
        import pandas
        return pandas.DataFrame(self.rows, columns=[one.name for one in self.columns])


@dataclasses.dataclass(frozen=True)
class Record:
    """A run on a cluster as the history keeps it. Times are aware and in UTC; None: not known.

    ``job_end_time`` is None while the run is open. ``start_time_param`` and ``end_time_param`` are the span of data that
    it covers. ``raw`` is all that the server said.
    """

    id: str
    job_id: str
    type: str
    status: RecordStatus
    reason: str
    job_start_time: dt.datetime
    job_end_time: Optional[dt.datetime] = None
    duration: Optional[dt.timedelta] = None
    project: str = ""
    table: str = ""
    start_time_param: Optional[dt.datetime] = None
    end_time_param: Optional[dt.datetime] = None
    attempts: int = 0
    error: str = ""
    spark_application_id: str = ""
    cluster: str = ""
    namespace: str = ""
    attributes: Mapping[str, Attribute] = dataclasses.field(default_factory=dict)
    raw: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Record:
        """From the server's JSON."""
        start = parsed(value["job_start_time"])
        end = parsed(value.get("job_end_time"))
        assert start is not None
        return cls(id=value["id"], job_id=value.get("job_id", ""), type=value["type"],
                   status=RecordStatus(value["status"]), reason=value["reason"], job_start_time=start,
                   job_end_time=end, duration=between(start, end),
                   project=value.get("project", ""), table=value.get("table", ""),
                   start_time_param=parsed(value.get("start_time_param")),
                   end_time_param=parsed(value.get("end_time_param")), attempts=value.get("attempts", 0),
                   error=value.get("error", ""), spark_application_id=value.get("spark_application_id", ""),
                   cluster=value.get("cluster", ""), namespace=value.get("namespace", ""),
                   attributes=attributes_of(value.get("attributes")), raw=value)
