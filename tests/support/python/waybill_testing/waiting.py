"""Waiting for a condition, never for a length of time."""
import socket
import threading
import time

_never = threading.Event()


def pause(seconds):
    """Between two looks; not a way to wait for something to happen."""
    _never.wait(seconds)


def wait_until(look, what, seconds=60, every=0.03):
    """The first truthy answer of look(); fails after so many seconds, naming what was waited for."""
    deadline = time.monotonic() + seconds
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s in vain for {what}; last seen: {seen!r}")
        pause(every)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]
