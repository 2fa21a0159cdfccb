"""Client of Waybill: submit jobs, follow them, and read the history of runs.

    import waybill
    with waybill.Client("http://localhost:9090", user="ann") as client:
        job = client.submit(command=["type:ping"], cluster=["type:localhost"])
        job.wait(timeout=60)

``waybill.featurestore`` reads the history of a feature store's runs over gRPC.
"""
from ._async_client import AsyncClient
from ._client import Client
from ._errors import (
    ApiError,
    Conflict,
    InvalidArgument,
    JobCanceled,
    JobFailed,
    NotFound,
    PermissionDenied,
    RateLimited,
    Unavailable,
    WaitTimeout,
    WaybillError,
)
from ._jobs import AsyncJob, Job, JobView
from ._models import Attribute, Column, JobStatus, Record, RecordStatus, Result
from ._pages import AsyncPages, Pages
from ._version import __version__

__all__ = [
    "ApiError", "AsyncClient", "AsyncJob", "AsyncPages", "Attribute", "Client", "Column", "Conflict",
    "InvalidArgument", "Job", "JobCanceled", "JobFailed", "JobStatus", "JobView", "NotFound", "Pages",
    "PermissionDenied", "RateLimited", "Record", "RecordStatus", "Result", "Unavailable", "WaitTimeout",
    "WaybillError", "__version__",
]
