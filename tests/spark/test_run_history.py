"""What the real operator and spark-submit make of applications is found in the history, over every door, and stays
when the objects are gone and the server was killed in between."""
import datetime
import json
import uuid

from waybill.featurestore import Client, JobStatus
from waybill_testing.server import Server
from waybill_testing.waiting import free_port, wait_until

SECONDS = 300  # the most that a run of the operator may take on a busy machine
DAY = "2026-03-03T00:00:00Z"
NEXT_DAY = "2026-03-04T00:00:00Z"


def ingestion(spec, record_id):
    """Labels and arguments as a feature store's job service writes them."""
    labels = {"caraml.dev/record-id": record_id, "caraml.dev/project": "sample", "caraml.dev/table": "driver_quality",
              "caraml.dev/type": "BATCH_INGESTION_JOB"}
    spec["arguments"] = ["--feature-table", json.dumps({"project": "sample", "name": "driver_quality"}),
                         "--start", DAY, "--end", NEXT_DAY]
    return labels


def application(bed, example, name):
    manifest, record_id = bed.example(example), str(uuid.uuid4())
    manifest["metadata"].update(name=name, labels=ingestion(manifest["spec"], record_id))
    return manifest, record_id


def config_of(bed, port):
    return {"server": {"grpc_addr": f"127.0.0.1:{port}"},
            "clusters": [{"name": "spark", "tags": ["type:spark"], "attributes": {"Spark History": {
                "kind": "link", "value": "https://history.example.com/{{ .Outputs.spark_application_id }}/jobs/"}}}],
            "history": [{"cluster": "spark", "kubernetes": {"kubeconfig": bed.kubeconfig},
                         "namespaces": ["spark-jobs"], "label_selector": "caraml.dev/record-id"}]}


def test_every_run_is_one_record_over_a_crash(bed):
    port = free_port()
    good, good_id = application(bed, "spark-pi", "good")
    bad, bad_id = application(bed, "spark-fail", "bad")
    schedule, schedule_id = bed.example("spark-pi-scheduled"), str(uuid.uuid4())
    schedule["metadata"].update(name="daily", labels=ingestion(schedule["spec"]["template"], schedule_id))
    with Server(config=config_of(bed, port)) as server:
        client = server.client("alice")

        def status(record_id):
            answer = client.get(f"/record/{record_id}")
            return answer.json["status"] if answer.status == 200 else None

        def scheduled():
            return [r for r in client.get("/records?table=driver_quality").json["data"] if r["job_id"].startswith("daily-")]

        bed.create(good)
        bed.create(bad)
        wait_until(lambda: status(good_id) == "RUNNING", "the run to begin", SECONDS)
        server.kill()
        bed.create(schedule)
        server.start()
        wait_until(lambda: status(good_id) == "DONE" and status(bad_id) == "ERROR", "both ends", SECONDS)
        wait_until(lambda: any(r["status"] == "DONE" for r in scheduled()), "a scheduled run", SECONDS)
        bed.kubectl("delete", "scheduledsparkapplication,sparkapplication", "--all", "-n", "spark-jobs")

        record = client.get(f"/record/{good_id}").json
        assert record["job_id"] == "good" and record["reason"] == "Succeeded" and record["attempts"] == 1
        assert record["spark_application_id"].startswith("spark-")
        failed = client.get(f"/record/{bad_id}").json
        assert failed["attempts"] == 2 and "3" in failed["error"]
        for run in scheduled():
            assert run["id"] == schedule_id + run["job_id"].removeprefix("daily")
        manifest = client.get(f"/record/{good_id}/manifest").body.decode()
        assert "SparkApplication" in manifest and "status:" not in manifest

        start = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(hours=1)
        records = list(Client(f"127.0.0.1:{port}").list_batch_job_records("sample", "driver_quality", start))
        by_id = {r.id: r for r in records}
        assert len(by_id) == len(records)
        assert by_id[good_id].status is JobStatus.DONE
        assert by_id[bad_id].status is JobStatus.ERROR
        assert by_id[good_id].start_time_param == datetime.datetime(2026, 3, 3, tzinfo=datetime.timezone.utc)
        assert by_id[good_id].end_time_param == datetime.datetime(2026, 3, 4, tzinfo=datetime.timezone.utc)
        link = f"https://history.example.com/{record['spark_application_id']}/jobs/"
        assert link in [attribute.value for attribute in by_id[good_id].attributes.values()]


def test_two_servers_on_one_database_make_one_record_of_a_run(bed, postgres, tmp_path):
    database = postgres.new_database()
    run, run_id = application(bed, "spark-pi", "shared")
    with Server(database=database, config=config_of(bed, free_port()), folder=tmp_path, name="one") as one, \
            Server(database=database, config=config_of(bed, free_port()), folder=tmp_path, name="two") as two:
        bed.create(run)

        def records(server):
            return [(r["id"], r["status"]) for r in server.client().get("/records?table=driver_quality").json["data"]]

        wait_until(lambda: records(one) == [(run_id, "RUNNING")], "the run to begin", SECONDS)
        one.kill()
        wait_until(lambda: records(two) == [(run_id, "DONE")], "the other server to record the end", SECONDS)
