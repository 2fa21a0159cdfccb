"""Server-sent events as a client reads them."""
import http.client
import json
import threading


class Stream:
    """Reads server-sent events on a thread of its own until closed."""

    def __init__(self, port, last_id=None, query=""):
        self.events, self.comments = [], 0
        headers = {"Accept": "text/event-stream", "X-Heimdall-User": "alice"}
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._connection.request("GET", "/api/v1/events" + query, headers=headers)
        self.answer = self._connection.getresponse()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self):
        event = {}
        try:
            for raw in self.answer:
                line = raw.decode().rstrip("\r\n")
                if not line:
                    if event:
                        self.events.append(event)
                    event = {}
                elif line.startswith(":"):
                    self.comments += 1
                else:
                    field, _, value = line.partition(": ")
                    event[field] = event[field] + "\n" + value if field == "data" and field in event else value
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            pass  # closed

    def of(self, job_id):
        return [e for e in self.events if job_id in e.get("data", "")]

    def states(self, job_id):
        return [json.loads(e["data"]).get("to") for e in self.of(job_id)]

    def close(self):
        if self._connection.sock:
            self._connection.sock.shutdown(2)
        self._connection.close()
        self._thread.join(timeout=10)
