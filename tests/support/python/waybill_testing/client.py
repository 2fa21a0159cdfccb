"""A small HTTP client: one connection a call, nothing hidden."""
import http.client
import json
import urllib.parse

from .waiting import wait_until

BASE = "/api/v1"
FINAL = {"SUCCEEDED", "FAILED", "KILLED", "CANCELED"}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"<{self.status} {self.body[:2000]!r}>"


class Client:
    """Speaks as `user` (None: nobody). `judge(method, path, answer)` sees every answer, such as the OpenAPI check."""

    def __init__(self, port, user="alice", judge=None):
        self.port, self.user, self.judge = port, user, judge

    def as_user(self, user):
        return Client(self.port, user, self.judge)

    def call(self, method, path, json_body=None, body=None, headers=None, timeout=90, query=None):
        """`path` beginning with one slash is under /api/v1, with two outside of it (`//healthz`)."""
        path = path[1:] if path.startswith("//") else BASE + path
        if query:
            path += "?" + urllib.parse.urlencode(query)
        sent = {} if self.user is None else {"X-Heimdall-User": self.user}
        if json_body is not None:
            body = json.dumps(json_body, ensure_ascii=False).encode()
            sent["Content-Type"] = "application/json"
        sent.update(headers or {})
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            try:
                connection.request(method, path, body=body, headers=sent)
            except (BrokenPipeError, ConnectionResetError):
                pass  # a body that is too large may be answered before all of it was sent
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, response.read())
        finally:
            connection.close()
        if self.judge:
            self.judge(method, path.split("?")[0], answer)
        return answer

    def get(self, path, **more):
        return self.call("GET", path, **more)

    def post(self, path, json_body=None, **more):
        return self.call("POST", path, json_body, **more)

    def put(self, path, json_body=None, **more):
        return self.call("PUT", path, json_body, **more)

    def delete(self, path, **more):
        return self.call("DELETE", path, **more)

    # jobs ---------------------------------------------------------------
    def submit(self, command="type:ping", cluster="type:local", headers=None, **members):
        """The answer to a submit that must be taken."""
        answer = self.post("/job", job(command, cluster, **members), headers=headers)
        assert answer.status == 200, answer
        return answer.json

    def shell(self, line, **members):
        return self.submit("type:shell", context={"arguments": [line]}, **members)

    def job(self, job_id):
        answer = self.get(f"/job/{job_id}")
        assert answer.status == 200, answer
        return answer.json

    def status(self, job_id):
        answer = self.get(f"/job/{job_id}/status")
        assert answer.status == 200, answer
        return answer.json["status"]

    def wait_for(self, job_id, statuses=FINAL, seconds=60):
        """The job once it is in one of these states."""
        def look():
            seen = self.job(job_id)
            if seen["status"] in FINAL and seen["status"] not in statuses:
                raise AssertionError(f"wanted {sorted(statuses)}, the job ended otherwise: {seen}")
            return seen if seen["status"] in statuses else None
        return wait_until(look, f"job {job_id} to become {sorted(statuses)}", seconds)

    def succeeded(self, job_id, seconds=60):
        return self.wait_for(job_id, {"SUCCEEDED"}, seconds)

    def pages(self, path, query, limit=1000):
        """All rows of a list, page by page, by its cursors."""
        query, rows = dict(query), []
        for _ in range(limit):
            answer = self.get(path, query=query)
            assert answer.status == 200, answer
            rows += answer.json["data"]
            cursor = answer.json.get("next_cursor")
            if not cursor:
                return rows
            query["cursor"] = cursor
        raise AssertionError("the list does not end")


def job(command="type:ping", cluster="type:local", **members):
    """The body of a submit."""
    return {"name": "a job", "version": "1", "command_criteria": [command], "cluster_criteria": [cluster], **members}
