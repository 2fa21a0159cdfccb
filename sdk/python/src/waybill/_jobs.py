"""A job as a client holds it: the last that the server said of it, and what can be done with it."""
from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, AsyncIterator, Dict, Iterator, List, Mapping, Optional

from ._errors import JobCanceled, JobFailed
from ._models import Attribute, JobStatus, Result, attributes_of
from ._times import Seconds, between, from_unix, parsed

if TYPE_CHECKING:
    from ._async_client import AsyncClient
    from ._client import Client


class JobView:
    """What is known of a job. ``raw`` is all that the server said when it was last asked."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw: Mapping[str, Any] = raw

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.status.value}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, JobView) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    @property
    def id(self) -> str:
        """A uuid."""
        return str(self.raw["id"])

    @property
    def name(self) -> str:
        """As it was submitted."""
        return str(self.raw.get("name", ""))

    @property
    def user(self) -> str:
        """Who submitted it."""
        return str(self.raw.get("user", ""))

    @property
    def status(self) -> JobStatus:
        """When the server was last asked."""
        return JobStatus(self.raw["status"])

    @property
    def error(self) -> str:
        """Why it failed; "" if it did not."""
        return str(self.raw.get("error", ""))

    @property
    def tags(self) -> List[str]:
        """Own tags and those that the system gives."""
        return list(self.raw.get("tags", ()))

    @property
    def context(self) -> Dict[str, Any]:
        """What it was submitted with; secrets are masked."""
        return dict(self.raw.get("context") or {})

    @property
    def command_name(self) -> str:
        """The command that was chosen."""
        return str(self.raw.get("command_name", ""))

    @property
    def cluster_name(self) -> str:
        """The cluster that was chosen."""
        return str(self.raw.get("cluster_name", ""))

    @property
    def canceled_by(self) -> str:
        """Who canceled it."""
        return str(self.raw.get("canceled_by", ""))

    @property
    def attributes(self) -> Dict[str, Attribute]:
        """By label, in the order of the configuration."""
        return attributes_of(self.raw.get("extra_job_attributes"))

    @property
    def links(self) -> Dict[str, str]:
        """The links among the attributes that are worth following now: label to URL."""
        running = not self.status.is_final
        failed = self.status in (JobStatus.FAILED, JobStatus.KILLED)
        return {label: one.value for label, one in self.attributes.items()
                if one.is_link and one.is_shown(running, failed)}

    @property
    def record_ids(self) -> List[str]:
        """Its runs on a cluster."""
        return list(self.raw.get("record_ids", ()))

    @property
    def created_at(self) -> Optional[dt.datetime]:
        """To the second."""
        return from_unix(self.raw.get("created_at"))

    @property
    def started_at(self) -> Optional[dt.datetime]:
        """None: it has not started."""
        return parsed(self.raw.get("started_at"))

    @property
    def finished_at(self) -> Optional[dt.datetime]:
        """None: it has not ended."""
        return parsed(self.raw.get("finished_at"))

    @property
    def duration(self) -> Optional[dt.timedelta]:
        """From start to end; None: it has not ended, or never began."""
        return between(self.started_at, self.finished_at)

    def raise_for_status(self) -> None:
        """JobFailed or JobCanceled, if it ended that way."""
        if self.status in (JobStatus.FAILED, JobStatus.KILLED):
            raise JobFailed(self)
        if self.status is JobStatus.CANCELED:
            raise JobCanceled(self)


class Job(JobView):
    """A job of a Client."""

    def __init__(self, client: Client, raw: Mapping[str, Any]) -> None:
        super().__init__(raw)
        self._client = client

    def refresh(self) -> Job:
        """Asks the server anew."""
        self.raw = self._client.job(self.id).raw
        return self

    def wait(self, timeout: Optional[Seconds] = None) -> Job:
        """Until it ends. JobFailed, JobCanceled; WaitTimeout after `timeout` (seconds), when the job goes on."""
        self.raw = self._client.wait(self.id, timeout).raw
        self.raise_for_status()
        return self

    def cancel(self) -> None:
        """Asks for its end."""
        self._client.cancel(self.id)

    def rerun(self, context: Optional[Mapping[str, Any]] = None) -> Job:
        """A new job with the same request, with another context if one is given."""
        return self._client.rerun(self.id, context)

    def result(self) -> Result:
        """NotFound if it has none."""
        return self._client.result(self.id)

    def logs(self, *, follow: bool = False, stderr: bool = False, tail: Optional[int] = None) -> Iterator[str]:
        """Its log line by line, without line ends; with `follow` until the job ends."""
        return self._client.logs(self.id, follow=follow, stderr=stderr, tail=tail)


class AsyncJob(JobView):
    """A job of an AsyncClient."""

    def __init__(self, client: AsyncClient, raw: Mapping[str, Any]) -> None:
        super().__init__(raw)
        self._client = client

    async def refresh(self) -> AsyncJob:
        """Asks the server anew."""
        self.raw = (await self._client.job(self.id)).raw
        return self

    async def wait(self, timeout: Optional[Seconds] = None) -> AsyncJob:
        """Until it ends. JobFailed, JobCanceled; WaitTimeout after `timeout` (seconds), when the job goes on."""
        self.raw = (await self._client.wait(self.id, timeout)).raw
        self.raise_for_status()
        return self

    async def cancel(self) -> None:
        """Asks for its end."""
        await self._client.cancel(self.id)

    async def rerun(self, context: Optional[Mapping[str, Any]] = None) -> AsyncJob:
        """A new job with the same request, with another context if one is given."""
        return await self._client.rerun(self.id, context)

    async def result(self) -> Result:
        """NotFound if it has none."""
        return await self._client.result(self.id)

    def logs(self, *, follow: bool = False, stderr: bool = False, tail: Optional[int] = None) -> AsyncIterator[str]:
        """Its log line by line, without line ends; with `follow` until the job ends."""
        return self._client.logs(self.id, follow=follow, stderr=stderr, tail=tail)
