"""Jobs of the spark_operator plugin with the real operator and spark-submit, and the example as it is written."""
import pathlib

import yaml
from spark_jobs import HISTORY, SECONDS, attributes, spark_config, stdout
from waybill_testing.server import Server, command
from waybill_testing.waiting import wait_until

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/spark"


def kinds(bed):
    """Commands that differ in what becomes of their driver."""
    base = spark_config(bed)
    base["commands"] = [
        command(name, "spark_operator", cluster_tags=["type:spark"], context={
            "application_template": str(bed.template), "spec": {"driver": {"annotations": {
                f"testbed/{key}": value for key, value in driver.items()}}}, **more})
        for name, driver, more in (
            ("good", {"run-seconds": "8", "log": "Pi is roughly 3.14"}, {}),
            ("bad", {"run-seconds": "2", "exit-code": "3", "termination-message": "no such path", "log": "reading"}, {}),
            ("long", {"run-seconds": "forever"}, {}),
            ("refused", {}, {"service_account": "nobody-made-this-one"}))]
    return base


def test_jobs_of_every_kind_over_a_crash_of_the_server(bed):
    with Server(config=kinds(bed)) as server:
        client = server.client("alice")
        ids = {name: client.submit(f"type:{name}", "type:spark")["id"] for name in ("good", "bad", "long", "refused")}
        link = wait_until(lambda: attributes(client, ids["good"]).get("Spark History"), "the link", SECONDS)
        assert link.startswith(f"{HISTORY}/history/spark-") and client.status(ids["good"]) == "RUNNING"
        wait_until(lambda: stdout(client, ids["long"]), "the log of the one that is canceled", SECONDS)
        server.kill()
        server.start()
        client.post(f"/job/{ids['long']}/cancel")

        client.succeeded(ids["good"], SECONDS)
        assert attributes(client, ids["good"])["Spark History"] == link
        assert stdout(client, ids["good"]).count("Pi is roughly 3.14\n") == 1
        failed = client.wait_for(ids["bad"], {"FAILED"}, SECONDS)
        assert failed["error"].startswith("the driver ended with exit code 3: no such path")
        assert failed["error"].endswith("reading\n")
        refused = client.wait_for(ids["refused"], {"FAILED"}, SECONDS)
        assert refused["error"].startswith("spark-submit failed: ") and "nobody-made-this-one" in refused["error"]
        assert "\tat " not in refused["error"]
        client.wait_for(ids["long"], {"CANCELED"}, SECONDS)
        assert not bed.operator.pod_phase(f"spark-job-{ids['long']}-driver")

        def left():
            return [a["metadata"]["name"] for a in bed.kube.applications()
                    if a["metadata"]["labels"].get("waybill.dev/job-id") in ids.values()]

        wait_until(lambda: not left(), "all to be removed", SECONDS)
        for name, status in (("good", "DONE"), ("bad", "ERROR"), ("refused", "ERROR"), ("long", "ERROR")):
            records = wait_until(lambda: client.job(ids[name]).get("record_ids"), f"the record of {name}", SECONDS)
            assert records == [f"{ids[name]}-1"]
            wait_until(lambda: client.get(f"/record/{records[0]}").json["status"] == status, "its end", SECONDS)
            assert client.get(f"/record/{records[0]}").json["gateway_job_id"] == ids[name]


def test_the_example_runs_as_it_is_written(bed, tmp_path):
    config = yaml.safe_load((EXAMPLE / "waybill.yaml").read_text())
    template = yaml.safe_load((EXAMPLE / "spark-pi.yaml").read_text())
    template["spec"]["driver"]["annotations"] = {"testbed/run-seconds": "1"}  # there is no Spark in the bed's containers
    (tmp_path / "spark-pi.yaml").write_text(yaml.safe_dump(template))
    config["clusters"][0]["context"]["kubernetes"]["kubeconfig"] = bed.kubeconfig
    with Server(config=config, folder=tmp_path) as server:
        client = server.client("alice")
        job_id = client.submit("type:spark-pi", "type:spark", context={"arguments": ["1000"]})["id"]
        client.succeeded(job_id, SECONDS)
        assert attributes(client, job_id)["Spark History"].startswith("https://spark-history.example.com/history/spark-")
