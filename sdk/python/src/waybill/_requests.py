"""What is sent, without sending it: shared by both clients."""
from __future__ import annotations

import dataclasses
import datetime as dt
import json
import random
import ssl
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union
from urllib.parse import quote

import httpx

from ._errors import ApiError, api_error
from ._times import Moment, Seconds, rfc3339, seconds_of
from ._version import __version__

Token = Union[str, Callable[[], str]]
BASE = "/api/v1"
USER_HEADER = "X-Heimdall-User"


@dataclasses.dataclass(frozen=True)
class Call:
    """One call. `repeat`: whether it may be sent again after it may already have arrived."""

    method: str
    path: str
    params: Tuple[Tuple[str, str], ...] = ()
    body: Optional[Mapping[str, Any]] = None
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    repeat: bool = False
    forever: bool = False  # it takes as long as a job runs

    def options(self, timeout: float) -> Dict[str, Any]:
        """For httpx."""
        options: Dict[str, Any] = {"params": list(self.params), "headers": dict(self.headers)}
        options["timeout"] = httpx.Timeout(timeout, read=None) if self.forever else timeout
        if self.body is not None:
            options["json"] = self.body
        return options


class Settings:
    """Where the server is, and who asks."""

    def __init__(self, user: Optional[str], token: Optional[Token], timeout: Seconds,
                 headers: Optional[Mapping[str, str]], ca: Optional[str],
                 cert: Union[str, Tuple[str, str], None], retries: int) -> None:
        self.timeout = seconds_of(timeout)
        self.retries = retries
        self._user, self._token, self._headers = user, token, dict(headers or {})
        self.verify: Union[bool, ssl.SSLContext] = True
        if ca or cert:
            self.verify = ssl.create_default_context(cafile=ca)
            if isinstance(cert, str):
                self.verify.load_cert_chain(cert)
            elif cert:
                self.verify.load_cert_chain(*cert)

    def headers(self) -> Dict[str, str]:
        """Of every call; a token provider is asked each time."""
        headers = {"User-Agent": f"waybill-sdk/{__version__} python", "Accept": "application/json"}
        if self._user:
            headers[USER_HEADER] = self._user
        if self._token:
            token = self._token() if callable(self._token) else self._token
            headers["Authorization"] = f"Bearer {token}"
        return {**headers, **self._headers}

    def pause(self, attempt: int, answer: Optional[httpx.Response]) -> Optional[float]:
        """Seconds before the next attempt (counted from 1); None: no further one. With jitter, so that clients that
        were turned away together don't come back together."""
        if attempt > self.retries:
            return None
        wait: float = random.uniform(0.5, 1.0) * min(0.2 * 2.0 ** attempt, 10.0)
        try:
            return max(wait, float(answer.headers.get("Retry-After", 0))) if answer is not None else wait
        except ValueError:
            return wait


def is_busy(answer: httpx.Response) -> bool:
    """Whether the call was turned away before anything was done."""
    return answer.status_code in (429, 502, 503, 504)


def path(*parts: str) -> str:
    """
    >>> path("job", "a/b", "status")
    '/api/v1/job/a%2Fb/status'
    """
    return "/".join((BASE, *(quote(part, safe="") for part in parts)))


def error_of(answer: httpx.Response) -> ApiError:
    """The error that an answer of 400 or more speaks of. Its body must have been read."""
    request_id = answer.headers.get("X-Request-Id")
    try:
        said = answer.json()
        code, message = said.get("code", ""), said["error"]
    except (ValueError, KeyError, AttributeError):
        code, message = "", f"the server answered {answer.status_code}: {answer.text[:200]}"
    error = api_error(answer.status_code, code, message, request_id)
    error.__dict__["job_id"] = said.get("id") if code else None
    return error


def submit_call(command: Sequence[str], cluster: Sequence[str], context: Optional[Mapping[str, Any]],
                tags: Sequence[str], name: str, version: str, description: str, store_result: bool, queue: str,
                priority: int, job_timeout: Optional[Seconds], max_attempts: int,
                idempotency_key: Optional[str]) -> Call:
    """A submit. It carries an idempotency key always, so that it can be sent again without a second run."""
    for argument, words in (("command", command), ("cluster", cluster), ("tags", tags)):
        if isinstance(words, str):
            raise ValueError(f"{argument}: {words!r} is one text; give a list of them")
    body: Dict[str, Any] = {"command_criteria": list(command), "cluster_criteria": list(cluster)}
    optional = {"name": name, "version": version, "description": description, "queue": queue, "priority": priority,
                "store_result_sync": store_result, "tags": list(tags), "max_attempts": max_attempts}
    body.update({key: value for key, value in optional.items() if value})
    if context is not None:
        body["context"] = json.loads(json.dumps(context))  # a clear TypeError here, not inside httpx
    if job_timeout is not None:
        body["timeout_seconds"] = seconds_of(job_timeout)
    return Call("POST", path("job"), body=body, repeat=True, forever=True,
                headers={"Idempotency-Key": idempotency_key or str(uuid.uuid4())})


def rerun_call(job_id: str, context: Optional[Mapping[str, Any]]) -> Call:
    """A rerun, safe to be sent again as a submit is."""
    return Call("POST", path("job", job_id, "rerun"), body={} if context is None else {"context": dict(context)},
                repeat=True, forever=True, headers={"Idempotency-Key": str(uuid.uuid4())})


Params = List[Tuple[str, str]]


def _add_words(params: Params, name: str, words: Optional[Sequence[str]]) -> None:
    if isinstance(words, str):
        raise ValueError(f"{name}: {words!r} is one text; give a list of them")
    if words:
        params.append((name, ",".join(getattr(word, "value", word) for word in words)))


def job_filters(*, status: Optional[Sequence[str]], tags: Optional[Sequence[str]], since: Optional[Moment],
                until: Optional[Moment], finished_since: Optional[Moment], finished_until: Optional[Moment],
                texts: Mapping[str, Optional[str]], mine: bool, descending: bool) -> Params:
    """The filters of GET /jobs."""
    params: Params = [(name, text) for name, text in texts.items() if text]
    _add_words(params, "status", status)
    _add_words(params, "tags", tags)
    _add_moments(params, (("since", "from", since), ("until", "to", until),
                          ("finished_since", "finished_from", finished_since),
                          ("finished_until", "finished_to", finished_until)))
    if mine:
        params.append(("mine", "true"))
    if not descending:
        params.append(("direction", "asc"))
    return params


def record_filters(*, status: Optional[Sequence[str]], type: Optional[Sequence[str]],
                   reason: Optional[Sequence[str]], since: Optional[Moment], until: Optional[Moment],
                   window_since: Optional[Moment], window_until: Optional[Moment],
                   texts: Mapping[str, Optional[str]], descending: bool) -> Params:
    """The filters of GET /records."""
    params: Params = [(name, text) for name, text in texts.items() if text]
    _add_words(params, "status", status)
    _add_words(params, "type", type)
    _add_words(params, "reason", reason)
    _add_moments(params, (("since", "from", since), ("until", "to", until),
                          ("window_since", "window_from", window_since),
                          ("window_until", "window_to", window_until)))
    if not descending:
        params.append(("direction", "asc"))
    return params


def _add_moments(params: Params, moments: Sequence[Tuple[str, str, Optional[Moment]]]) -> None:
    now = dt.datetime.now(dt.timezone.utc)
    params.extend((name, rfc3339(argument, moment, now)) for argument, name, moment in moments if moment is not None)


def log_call(job_id: str, follow: bool, stderr: bool, tail: Optional[int]) -> Call:
    """A log, as text."""
    params: Params = [("follow", "true")] if follow else []
    if tail is not None:
        params.append(("tail", str(tail)))
    return Call("GET", path("job", job_id, "stderr" if stderr else "stdout"), tuple(params), forever=follow,
                headers={"Accept": "text/plain"}, repeat=True)


class Looks:
    """How long to wait between two looks at a job: soon at first, then every two seconds."""

    def __init__(self) -> None:
        self._next = 0.05

    def next(self, left: Optional[float]) -> float:
        """Seconds; never more than are left."""
        wait, self._next = self._next, min(self._next * 1.5, 2.0)
        return wait if left is None else max(0.0, min(wait, left))
