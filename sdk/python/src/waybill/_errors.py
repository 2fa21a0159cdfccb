"""What can go wrong. Everything that this package raises on purpose is a WaybillError, or a ValueError for an argument
that can't be sent."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from ._jobs import JobView


class WaybillError(Exception):
    """Any error of Waybill."""


class ApiError(WaybillError):
    """The server refused a call, or could not be reached (status 0).

    status: the HTTP status, or the gRPC code's number; code: a machine word such as ``no_route``; message: one
    sentence that says what to do; request_id: what the server's log calls this call, where it said so.

    >>> error = NotFound(404, "not_found", "unknown job_id")
    >>> str(error), error.status
    ('unknown job_id', 404)
    """

    def __init__(self, status: int, code: str, message: str, request_id: Optional[str] = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id

    def __reduce__(self) -> Any:
        return type(self), (self.status, self.code, self.message, self.request_id)


class InvalidArgument(ApiError):
    """400, 413, 422: the call can't succeed as it is."""


class PermissionDenied(ApiError):
    """401, 403: the server does not know the caller, or the caller may not do this."""


class NotFound(ApiError):
    """404: there is no such thing."""


class Conflict(ApiError):
    """409: the thing is in another state than the call needs."""


class RateLimited(ApiError):
    """429: too much at once; later it may succeed. Safe calls were tried again before this is raised."""


class Unavailable(ApiError):
    """503, or no answer at all. Safe calls were tried again before this is raised."""


class JobFailed(WaybillError):
    """The job failed or was killed; ``job`` is the job as it ended, the text is its error."""

    def __init__(self, job: JobView) -> None:
        super().__init__(job.error or f"job {job.id} is {job.status.value}")
        self.job = job


class JobCanceled(WaybillError):
    """The job was canceled; ``job`` is the job as it ended."""

    def __init__(self, job: JobView) -> None:
        super().__init__(f"job {job.id} was canceled by {job.canceled_by or 'somebody'}")
        self.job = job


class WaitTimeout(WaybillError, TimeoutError):
    """The time was over before the job was. The job goes on."""


def api_error(status: int, code: str, message: str, request_id: Optional[str] = None) -> ApiError:
    """The error class for an HTTP status."""
    kinds = {400: InvalidArgument, 413: InvalidArgument, 422: InvalidArgument, 401: PermissionDenied,
             403: PermissionDenied, 404: NotFound, 409: Conflict, 429: RateLimited, 0: Unavailable, 502: Unavailable,
             503: Unavailable, 504: Unavailable}
    return kinds.get(status, ApiError)(status, code, message, request_id)
