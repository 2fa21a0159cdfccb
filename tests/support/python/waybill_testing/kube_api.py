"""An API server that a test plays: it lists SparkApplications and sends the events that it is given."""
import http.server
import json
import threading
import urllib.parse

import yaml


def application(uid, version, state, **labels):
    return {"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication",
            "metadata": {"uid": uid, "namespace": "jobs", "name": f"app-{uid}", "resourceVersion": str(version),
                         "creationTimestamp": "2026-07-01T08:00:00Z",
                         "labels": {"caraml.dev/record-id": f"r-{uid}", **labels}},
            "spec": {"mainClass": "Main", "driver": {"env": [{"name": "PASS", "value": "hunter2"}]}},
            "status": {"applicationState": {"state": state}, "submissionID": f"s-{uid}",
                       "lastSubmissionAttemptTime": "2026-07-01T08:00:05Z", "terminationTime": None,
                       "sparkApplicationId": f"spark-{uid}", "executionAttempts": 1}}


class ApiServer:
    """Lists what is in `objects` and sends each of `events` once to a watch, which then stays open."""

    def __init__(self):
        self.objects, self.events, self.version = {}, [], 10
        self.watches = 0  # so many were opened; the last one alone is sent events
        self.changed, self.over = threading.Condition(), False
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self, status, body):
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):  # noqa: N802
                url = urllib.parse.urlsplit(self.path)
                query = dict(urllib.parse.parse_qsl(url.query))
                if "sendInitialEvents" in query:
                    self.answer(400, {"kind": "Status", "code": 400, "reason": "BadRequest", "message": "not here"})
                elif query.get("watch") in ("1", "true"):
                    self.watch()
                elif url.path.endswith("/sparkapplications"):
                    self.answer(200, {"kind": "SparkApplicationList", "metadata": {"resourceVersion": str(outer.version)},
                                      "items": list(outer.objects.values())})
                elif "/sparkapplications/" in url.path:
                    found = outer.objects.get(url.path.rsplit("/", 1)[1])
                    self.answer(200 if found else 404, found or {"kind": "Status", "code": 404, "reason": "NotFound"})
                else:
                    self.answer(200, {"kind": "APIResourceList", "resources": [{"name": "sparkapplications"}]})

            def watch(self):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                with outer.changed:
                    outer.watches += 1
                    mine = outer.watches
                while not outer.over:
                    with outer.changed:
                        outer.changed.wait_for(lambda: outer.events or outer.over or mine != outer.watches, timeout=60)
                        if mine != outer.watches:
                            return
                        lines = "".join(json.dumps(event) + "\n" for event in outer.events).encode()
                        outer.events = []
                    if lines:
                        self.wfile.write(f"{len(lines):x}\r\n".encode() + lines + b"\r\n")
                        self.wfile.flush()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def send(self, kind, what):
        with self.changed:
            self.events.append({"type": kind, "object": what})
            self.changed.notify_all()

    def close(self):
        with self.changed:
            self.over = True
            self.changed.notify_all()
        self.server.shutdown()
        self.server.server_close()

    def kubeconfig(self, folder):
        file = folder / "kubeconfig"
        file.write_text(yaml.safe_dump({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": f"http://127.0.0.1:{self.server.server_port}"}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "users": [{"name": "test", "user": {}}]}))
        return str(file)
