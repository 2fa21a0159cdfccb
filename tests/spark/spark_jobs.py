"""How these tests configure a server for jobs on the bed, and what they ask of it."""
from waybill_testing.server import Server, command
from waybill_testing.waiting import wait_until

SECONDS = 300  # the most that anything may take on a busy machine
HISTORY = "https://history.example.com"


def spark_config(bed, context=None, cluster_context=None, plugin="spark_operator", **more):
    own = {"application_template": str(bed.template)} if plugin == "spark_operator" else {}
    return {
        "pool": {"size": 8, "sleep": 250},
        "commands": [command("pi", plugin, cluster_tags=["type:spark"], context={**own, **(context or {})},
                             max_attempts=more.pop("max_attempts", 1))],
        "clusters": [{"name": "spark", "tags": ["type:spark"], "version": "1", "context": {
            "kubernetes": {"kubeconfig": bed.kubeconfig, "namespace": "spark-jobs"},
            "spark_history_url": HISTORY, **(cluster_context or {})},
            "attributes": {
                "Spark UI": {"kind": "link", "show": "running", "value": "http://{{ .Outputs.web_ui_address }}/"},
                "Spark History": {"kind": "link", "value":
                                  "{{ .Cluster.spark_history_url }}/history/{{ .Outputs.spark_application_id }}/jobs/"},
                "Driver": {"kind": "text", "value": "{{ .Outputs.namespace }}/{{ .Outputs.driver_pod }}"}}}],
        **more}


def spark_server(bed, *words, **more):
    server_words = {name: more.pop(name) for name in ("database", "folder", "name") if name in more}
    return Server(config=spark_config(bed, *words, **more), **server_words)


def submit(client, **context):
    return client.submit("type:pi", "type:spark", context=context)["id"]


def attributes(client, job_id):
    return {label: one["value"] for label, one in client.job(job_id).get("job_attributes", {}).items()}


def stdout(client, job_id, stream="stdout", attempt=None):
    answer = client.get(f"/job/{job_id}/{stream}" + (f"?attempt={attempt}" if attempt else ""))
    return answer.text if answer.status == 200 else ""


def wait_for_log(client, job_id, text, stream="stdout"):
    return wait_until(lambda: text in stdout(client, job_id, stream) and stdout(client, job_id, stream),
                      f"{text!r} in {stream}", SECONDS)
