"""A Kubernetes API server as tests use it, and an operator that does what a script says."""
import base64
import http.client
import json
import ssl
import threading
import urllib.parse
import uuid

import yaml

from .waiting import pause, wait_until

APPLICATIONS = "/apis/sparkoperator.k8s.io/v1beta2/namespaces/{}/sparkapplications"
JOBS = "/apis/batch/v1/namespaces/{}/jobs"


class Refused(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status} {text[:500]}")
        self.status = status


class Kube:
    """With the rights of a kubeconfig that has a token."""

    def __init__(self, kubeconfig, namespace="spark-jobs"):
        with open(kubeconfig, encoding="utf-8") as file:
            config = yaml.safe_load(file)
        cluster = config["clusters"][0]["cluster"]
        authority = (base64.b64decode(cluster["certificate-authority-data"]).decode()
                     if "certificate-authority-data" in cluster else open(cluster["certificate-authority"]).read())
        self.tls = ssl.create_default_context(cadata=authority)
        self.host = urllib.parse.urlparse(cluster["server"]).netloc
        self.token = config["users"][0]["user"]["token"]
        self.namespace = namespace
        self.local = threading.local()

    def call(self, method, path, body=None, kind="application/json", text=False):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        sent = None if body is None else json.dumps(body)
        for last in (False, True):
            if not hasattr(self.local, "connection"):
                self.local.connection = http.client.HTTPSConnection(self.host, context=self.tls, timeout=60)
            try:
                self.local.connection.request(method, path, sent, headers)
                answer = self.local.connection.getresponse()
                got = answer.read().decode()
                break
            except (OSError, http.client.HTTPException):
                self.local.connection.close()
                del self.local.connection
                if last:
                    raise
        if answer.status >= 300:
            raise Refused(answer.status, got)
        return got if text else json.loads(got)

    def path(self, name="", kind=APPLICATIONS):
        return kind.format(self.namespace) + (f"/{name}" if name else "")

    def applications(self):
        return self.call("GET", self.path())["items"]

    def application(self, name):
        return self.get(self.path(name))

    def get(self, path):
        """None: there is none."""
        try:
            return self.call("GET", path)
        except Refused as refused:
            if refused.status == 404:
                return None
            raise

    def pod_path(self, name=""):
        return f"/api/v1/namespaces/{self.namespace}/pods" + (f"/{name}" if name else "")

    def set_status(self, name, status, kind=APPLICATIONS):
        return self.call("PATCH", self.path(name, kind) + "/status", {"status": status},
                         "application/merge-patch+json")

    def delete(self, path):
        try:
            self.call("DELETE", path)
        except Refused as refused:
            if refused.status != 404:
                raise


class ScriptedOperator:
    """Stands in for the Spark operator: the test says when an application comes to what."""

    def __init__(self, kube):
        self.kube = kube

    def waits_for(self, job_id, attempt=1, seconds=60):
        """The application of a job once it is there."""
        name = f"spark-job-{job_id}" + (f"-{attempt}" if attempt > 1 else "")
        return wait_until(lambda: self.kube.application(name), f"the application {name}", seconds)

    def status(self, application, state, error="", **more):
        application_id = "spark-" + uuid.uuid5(uuid.NAMESPACE_URL, application["metadata"]["uid"]).hex
        name = application["metadata"]["name"]
        status = {"applicationState": {"state": state, **({"errorMessage": error} if error else {})},
                  "submissionID": str(uuid.uuid5(uuid.NAMESPACE_OID, name)), "submissionAttempts": 1,
                  "executionAttempts": 1, "lastSubmissionAttemptTime": "2026-03-03T10:00:00Z", "terminationTime": None,
                  "driverInfo": {"podName": f"{name}-driver", "webUIAddress": "10.0.0.7:4040"}, **more}
        if state not in ("", "SUBMITTED"):
            status["sparkApplicationId"] = application_id
        if state in ("COMPLETED", "FAILED"):
            status["terminationTime"] = "2026-03-03T10:05:00Z"
        self.kube.set_status(name, status)
        return application_id

    def driver(self, application, **annotations):
        """The driver's pod, owned by the application as the operator's are; its life is told by the annotations."""
        metadata = application["metadata"]
        owner = {"apiVersion": application["apiVersion"], "kind": application["kind"], "name": metadata["name"],
                 "uid": metadata["uid"], "controller": True}
        labels = {**metadata["labels"], "spark-role": "driver", "sparkoperator.k8s.io/app-name": metadata["name"]}
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": f"{metadata['name']}-driver", "namespace": metadata["namespace"], "labels": labels,
            "ownerReferences": [owner],
            "annotations": {f"testbed/{key.replace('_', '-')}": str(value) for key, value in annotations.items()}},
            "spec": {"restartPolicy": "Never", "serviceAccountName": "spark",
                     "containers": [{"name": "spark-kubernetes-driver", "image": "testbed/spark:3.5.9"}]}}
        return self.kube.call("POST", self.kube.pod_path(), pod)

    def pod_phase(self, name):
        pod = self.kube.get(self.kube.pod_path(name))
        return pod and pod["status"].get("phase")


class Completer(threading.Thread):
    """Takes every application through RUNNING to COMPLETED, `together` of them at once."""

    def __init__(self, kube, wanted, seen):
        super().__init__(daemon=True)
        self.kube, self.wanted, self.seen = kube, wanted, seen
        self.operator = ScriptedOperator(kube)
        self.names = set()
        self.problem = None

    def run(self):
        try:
            running = []
            while len(self.names) < self.wanted:
                for application in self.kube.applications():
                    name = application["metadata"]["name"]
                    if name not in self.names:
                        self.names.add(name)
                        self.operator.status(application, "RUNNING")
                        running.append(application)
                pause(0.05)
            self.seen.wait()
            for application in running:
                self.operator.status(application, "COMPLETED")
        except Exception as problem:  # for the test's own thread
            self.problem = problem
