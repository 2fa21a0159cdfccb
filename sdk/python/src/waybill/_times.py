"""Times and durations on their way to the server and back. Only datetimes with a time zone are taken: a naive one means
something else on every machine."""
from __future__ import annotations

import datetime as dt
from typing import Optional, Union

Seconds = Union[float, dt.timedelta]
Moment = Union[dt.datetime, dt.timedelta]


def seconds_of(duration: Seconds) -> float:
    """
    >>> seconds_of(dt.timedelta(minutes=2)), seconds_of(1.5)
    (120.0, 1.5)
    """
    return duration.total_seconds() if isinstance(duration, dt.timedelta) else float(duration)


def aware(name: str, time: dt.datetime) -> dt.datetime:
    """
    >>> aware("since", dt.datetime(2026, 7, 1))
    Traceback (most recent call last):
    ...
    ValueError: since: 2026-07-01T00:00:00 has no time zone; give it one, for example .replace(tzinfo=timezone.utc)
    """
    if time.tzinfo is None or time.utcoffset() is None:
        raise ValueError(f"{name}: {time.isoformat()} has no time zone; give it one, for example "
                         ".replace(tzinfo=timezone.utc)")
    return time


def rfc3339(name: str, moment: Moment, now: Optional[dt.datetime] = None) -> str:
    """A moment, or so long ago, in UTC.

    >>> rfc3339("since", dt.datetime(2026, 7, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2))))
    '2026-07-01T10:00:00.000000Z'
    """
    if isinstance(moment, dt.timedelta):
        moment = (now or dt.datetime.now(dt.timezone.utc)) - moment
    text = aware(name, moment).astimezone(dt.timezone.utc).isoformat(timespec="microseconds")
    return text.replace("+00:00", "Z")


def parsed(text: Optional[str]) -> Optional[dt.datetime]:
    """
    >>> parsed("2026-07-01T10:00:00.250Z")
    datetime.datetime(2026, 7, 1, 10, 0, 0, 250000, tzinfo=datetime.timezone.utc)
    """
    if not text:
        return None
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(dt.timezone.utc)


def from_unix(seconds: Optional[float]) -> Optional[dt.datetime]:
    """
    >>> from_unix(0)
    datetime.datetime(1970, 1, 1, 0, 0, tzinfo=datetime.timezone.utc)
    """
    return None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.timezone.utc)


def between(start: Optional[dt.datetime], end: Optional[dt.datetime]) -> Optional[dt.timedelta]:
    """None where one of them is not known.

    >>> between(None, None)
    """
    return None if start is None or end is None else end - start
