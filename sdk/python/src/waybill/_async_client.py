"""The client for asyncio."""
from __future__ import annotations

import asyncio
import time
from types import TracebackType
from typing import Any, AsyncIterator, List, Mapping, Optional, Sequence, Tuple, Type, Union

import httpx

from . import _requests as requests
from ._errors import ApiError, JobFailed, Unavailable, WaitTimeout
from ._jobs import AsyncJob
from ._models import JobStatus, Record, Result
from ._pages import AsyncPages, Cursor
from ._times import Moment, Seconds, seconds_of


class AsyncClient:
    """A connection to a server, of the same shape as Client. One event loop uses it; close it, or use it in an
    ``async with``.

    url: of the server. user: who asks, where a trusted proxy or the loopback address says so. token: a bearer token, or a
    function that gives one. timeout: seconds a call may take (one that follows a job takes as long as the job). ca, cert:
    PEM files, ``cert`` also as (certificate, key). retries: how often a safe call (GET, submit) is tried again.

    >>> async def url() -> str:
    ...     async with AsyncClient("http://localhost:9090", user="ann") as client:
    ...         return client.url
    >>> asyncio.run(url())
    'http://localhost:9090'
    """

    def __init__(self, url: str = "http://127.0.0.1:9090", *, user: Optional[str] = None,
                 token: Optional[requests.Token] = None, timeout: Seconds = 60,
                 headers: Optional[Mapping[str, str]] = None, ca: Optional[str] = None,
                 cert: Union[str, Tuple[str, str], None] = None, retries: int = 3,
                 transport: Optional[httpx.AsyncBaseTransport] = None) -> None:
        self.url = url.rstrip("/")
        self._settings = requests.Settings(user, token, timeout, headers, ca, cert, retries)
        self._http = httpx.AsyncClient(base_url=self.url, verify=self._settings.verify, transport=transport)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends its connections."""
        await self._http.aclose()

    # jobs ---------------------------------------------------------------------------------------------------------
    async def submit(self, command: Sequence[str], cluster: Sequence[str], context: Optional[Mapping[str, Any]] = None, *,
               tags: Sequence[str] = (), name: str = "", version: str = "", description: str = "",
               store_result: bool = False, queue: str = "", priority: int = 0,
               job_timeout: Optional[Seconds] = None, max_attempts: int = 0,
               idempotency_key: Optional[str] = None) -> AsyncJob:
        """Submits a job to a command and a cluster that have all of these tags.

        InvalidArgument with the code ``no_route``: none has. A command that is sync answers when it is done; JobFailed
        if it failed. `idempotency_key`: the same key of the same user within a day answers the first job; one is made
        up where none is given, so that a lost answer never makes a second run.
        """
        call = requests.submit_call(command, cluster, context, tags, name, version, description, store_result, queue,
                                    priority, job_timeout, max_attempts, idempotency_key)
        try:
            return AsyncJob(self, await self._json(call))
        except ApiError as error:
            failed = getattr(error, "job_id", None)
            if error.code != "job_failed" or not failed:
                raise
            raise JobFailed(await self.job(failed)) from error

    async def job(self, job_id: str) -> AsyncJob:
        """NotFound: there is no such job."""
        return AsyncJob(self, await self._get(requests.path("job", job_id)))

    def jobs(self, *, status: Optional[Sequence[str]] = None, tags: Optional[Sequence[str]] = None,
             since: Optional[Moment] = None, until: Optional[Moment] = None,
             finished_since: Optional[Moment] = None, finished_until: Optional[Moment] = None,
             user: Optional[str] = None, name: Optional[str] = None, command: Optional[str] = None,
             cluster: Optional[str] = None, q: Optional[str] = None, mine: bool = False,
             descending: bool = True) -> AsyncPages[AsyncJob]:
        """All jobs that match, newest first, read page by page while they are looked at.

        since, until: when it was created, as an aware datetime or as a timedelta before now. user, name, command and
        cluster are SQL LIKE patterns.
        """
        params = requests.job_filters(status=status, tags=tags, since=since, until=until,
                                      finished_since=finished_since, finished_until=finished_until, mine=mine,
                                      descending=descending, texts={"username": user, "name": name,
                                                                    "command": command, "cluster": cluster, "q": q})

        async def read(cursor: Cursor) -> Tuple[List[AsyncJob], Cursor]:
            rows, after = await self._page("jobs", params, cursor)
            return [AsyncJob(self, row) for row in rows], after
        return AsyncPages(read)

    async def wait(self, job_id: str, timeout: Optional[Seconds] = None) -> AsyncJob:
        """The job when it has ended, however it did; WaitTimeout after `timeout` seconds, when the job goes on."""
        deadline = None if timeout is None else time.monotonic() + seconds_of(timeout)
        looks = requests.Looks()
        while True:
            status = JobStatus((await self._get(requests.path("job", job_id, "status")))["status"])
            if status.is_final:
                return await self.job(job_id)
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise WaitTimeout(f"job {job_id} is still {status.value}; it goes on")
            await asyncio.sleep(looks.next(left))

    async def cancel(self, job_id: str) -> None:
        """Asks for its end. Conflict: it has ended already. PermissionDenied: it is somebody else's."""
        await self._json(requests.Call("POST", requests.path("job", job_id, "cancel"), body={}))

    async def rerun(self, job_id: str, context: Optional[Mapping[str, Any]] = None) -> AsyncJob:
        """A new job with the same request, with another context if one is given."""
        return AsyncJob(self, await self._json(requests.rerun_call(job_id, context)))

    async def result(self, job_id: str) -> Result:
        """NotFound: it has none."""
        return Result.read(await self._get(requests.path("job", job_id, "result")))

    async def logs(self, job_id: str, *, follow: bool = False, stderr: bool = False,
             tail: Optional[int] = None) -> AsyncIterator[str]:
        """The log line by line, without line ends; with `follow` until the job ends. `tail`: only the last lines."""
        call = requests.log_call(job_id, follow, stderr, tail)
        options = call.options(self._settings.timeout)
        options["headers"] = {**self._settings.headers(), **call.headers}
        try:
            async with self._http.stream(call.method, call.path, **options) as answer:
                if answer.status_code >= 400:
                    await answer.aread()
                    raise requests.error_of(answer)
                async for line in answer.aiter_lines():
                    yield line
        except httpx.TransportError as problem:
            raise self._away(problem) from problem

    # the run history ----------------------------------------------------------------------------------------------
    async def record(self, record_id: str) -> Record:
        """NotFound: there is no such run."""
        return Record.read(await self._get(requests.path("record", record_id)))

    def records(self, *, project: Optional[str] = None, table: Optional[str] = None,
                status: Optional[Sequence[str]] = None, type: Optional[Sequence[str]] = None,
                reason: Optional[Sequence[str]] = None, cluster: Optional[str] = None,
                namespace: Optional[str] = None, job_id: Optional[str] = None,
                since: Optional[Moment] = None, until: Optional[Moment] = None,
                window_since: Optional[Moment] = None, window_until: Optional[Moment] = None,
                descending: bool = True) -> AsyncPages[Record]:
        """All runs that match, newest first, read page by page while they are looked at. since, until: when it started;
        window_since, window_until: which data it covers."""
        params = requests.record_filters(
            status=status, type=type, reason=reason, since=since, until=until, window_since=window_since,
            window_until=window_until, descending=descending,
            texts={"project": project, "table": table, "cluster": cluster, "namespace": namespace, "job_id": job_id})

        async def read(cursor: Cursor) -> Tuple[List[Record], Cursor]:
            rows, after = await self._page("records", params, cursor)
            return [Record.read(row) for row in rows], after
        return AsyncPages(read)

    async def manifest(self, record_id: str) -> Mapping[str, Any]:
        """What was submitted for a run. NotFound: none is kept."""
        found: Mapping[str, Any] = await self._get(requests.path("record", record_id, "manifest"), (("format", "json"),))
        return found

    # ---------------------------------------------------------------------------------------------------------------
    async def _page(self, what: str, params: requests.Params, cursor: Cursor) -> Tuple[List[Any], Cursor]:
        asked = tuple(params) + ((("cursor", cursor),) if cursor else ())
        page = await self._get(requests.path(what), asked)
        return page["data"], page.get("next_cursor")

    async def _get(self, path: str, params: Tuple[Tuple[str, str], ...] = ()) -> Any:
        return await self._json(requests.Call("GET", path, params, repeat=True))

    async def _json(self, call: requests.Call) -> Any:
        answer = await self._send(call)
        if answer.status_code >= 400:
            raise requests.error_of(answer)
        return answer.json()

    async def _send(self, call: requests.Call) -> httpx.Response:
        options = call.options(self._settings.timeout)
        attempt = 0
        while True:
            attempt += 1
            options["headers"] = {**self._settings.headers(), **call.headers}
            answer: Optional[httpx.Response] = None
            problem: Optional[httpx.TransportError] = None
            try:
                answer = await self._http.request(call.method, call.path, **options)
                if not requests.is_busy(answer):
                    return answer
            except httpx.TransportError as error:
                problem = error
            pause = self._settings.pause(attempt, answer) if call.repeat else None
            if pause is None:
                if answer is not None:
                    return answer
                assert problem is not None
                raise self._away(problem) from problem
            await asyncio.sleep(pause)

    def _away(self, problem: httpx.TransportError) -> Unavailable:
        return Unavailable(0, "unreachable", f"{self.url} does not answer: {problem or type(problem).__name__}")
