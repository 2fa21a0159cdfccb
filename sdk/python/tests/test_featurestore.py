"""The history of a feature store over gRPC, against the real server: with this package, and with the public client of the
same API."""
import datetime as dt
import subprocess
import sys
import uuid

import grpc
import pytest
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

import waybill
from waybill.featurestore import Client, JobStatus, JobType
from waybill_testing.history import History

UTC = dt.timezone.utc
START = dt.datetime(2026, 7, 1, 8, tzinfo=UTC)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def history(server):
    return History(server)


@pytest.fixture
def client(target):
    with Client(target) as made:
        yield made


@pytest.fixture
def project():
    return "p" + uuid.uuid4().hex[:8]


def test_the_call_of_the_proposal(client, history, project):
    first = history.add(project=project, table_name="driver_quality", start_time=START, end_time=START + HOUR,
                        window_from=START - 24 * HOUR, window_to=START, attempts=2, spark_application_id="spark-1",
                        manifest={"kind": "SparkApplication"},
                        attributes={"Logs": {"kind": "link", "value": "https://logs.example.com/1"}})
    second = history.add(project=project, table_name="driver_quality", start_time=START + 2 * HOUR, status=2,
                         reason="Running")
    records = client.list_batch_job_records(project, "driver_quality", START)
    assert [record.id for record in records] == [second, first]
    assert records[1].status is JobStatus.DONE and records[1].type is JobType.BATCH_INGESTION_JOB
    assert records[1].job_start_time == START and records[1].job_end_time == START + HOUR
    assert records[1].duration == HOUR and records[1].start_time_param == START - 24 * HOUR
    assert records[1].table_name == "driver_quality" and records[1].project == project
    assert records[1].attributes["Logs"].value == "https://logs.example.com/1" and records[1].attempts == 2
    assert records[1].spark_app_manifest == "kind: SparkApplication\n" and records[1].reason == "Succeeded"
    assert records[0].status is JobStatus.RUNNING and records[0].job_end_time is None and records[0].duration is None
    frame = records.to_pandas()
    assert list(frame["status"]) == ["RUNNING", "DONE"] and str(frame["job_end_time"].iloc[1]) == "2026-07-01 09:00:00+00:00"
    assert records.to_arrow().column("job_start_time").to_pylist() == [START + 2 * HOUR, START]


def test_the_other_names_and_naive_times_which_count_as_utc(client, history, project):
    found = history.add(project=project, start_time=START)
    with pytest.warns(UserWarning, match="start: .* counts as UTC"):
        records = client.list_batch_job_records(project, table_name="driver", start_utc=START.replace(tzinfo=None),
                                                end_utc=START, job_type=JobType.BATCH_INGESTION_JOB)
    assert [record.id for record in records] == [found]
    with pytest.raises(ValueError, match="the same"):
        client.list_batch_job_records(project, "a", table_name="b")


def test_every_row_comes_however_many_pages_they_are(client, history, project):
    sent = [history.add(project=project, start_time=START + n * dt.timedelta(seconds=1)) for n in range(450)]
    assert [record.id for record in client.list_batch_job_records(project, "driver", START)] == sent[::-1]


def test_no_manifest_is_lost_to_the_size_of_an_answer(client, history, project):
    for n in range(6):
        history.add(project=project, start_time=START + n * HOUR, manifest={"n": str(n), "text": "x" * 1_000_000})
    records = client.list_batch_job_records(project, "driver", START)
    assert len(records) == 6 and all(len(record.spark_app_manifest) > 1_000_000 for record in records)


def test_other_types_and_one_status(client, history, project):
    batch = history.add(project=project, start_time=START)
    retrieval = history.add(project=project, table_name="", type=4, type_word="RETRIEVAL_JOB", start_time=START - HOUR,
                            output_location="s3://bucket/out", feature_refs=["driver:trips"], status=4, reason="Failed")
    found, = client.list_batch_job_records(project, start=START - HOUR, type=JobType.RETRIEVAL_JOB)
    assert found.id == retrieval and found.output_location == "s3://bucket/out" and found.feature_refs == ("driver:trips",)
    everything = client.list_batch_job_records(project, start=START - HOUR, type=JobType.INVALID_JOB)
    assert [record.id for record in everything] == [batch, retrieval]
    failed = client.list_batch_job_records(project, start=START - HOUR, type=JobType.INVALID_JOB, status=JobStatus.ERROR)
    assert [record.id for record in failed] == [retrieval]


def test_errors_have_their_classes(client, project):
    with pytest.raises(waybill.NotFound, match=f"nothing.*{project}"):
        client.list_batch_job_records(project, "nothing")
    with pytest.raises(waybill.InvalidArgument, match="table_name"):
        client.list_batch_job_records(project)
    with pytest.raises(waybill.InvalidArgument, match="type"):
        client.list_batch_job_records(project, "t", type=JobType.STREAM_INGESTION_JOB)
    with Client("127.0.0.1:1", retries=0) as nowhere, pytest.raises(waybill.Unavailable):
        nowhere.list_batch_job_records(project, "t")


def test_records_by_rest_are_the_same_runs(url, client, history, project):
    found = history.add(project=project, start_time=START, end_time=START + HOUR, manifest={"kind": "SparkApplication"})
    with waybill.Client(url) as rest:
        record, = rest.records(project=project, table="driver", status=[waybill.RecordStatus.DONE], since=START)
        assert record.id == found and record.duration == HOUR and record == rest.record(found)
        assert rest.manifest(found) == {"kind": "SparkApplication"}
        with pytest.raises(waybill.NotFound):
            rest.record("none")
    assert client.list_batch_job_records(project, "driver", START)[0].id == found


def test_reflection_names_the_services(target):
    with grpc.insecure_channel(target) as channel:
        services = set(ProtoReflectionDescriptorDatabase(channel).get_services())
    assert {"feast_spark.api.JobService", "feast.core.CoreService", "grpc.health.v1.Health",
            "grpc.reflection.v1alpha.ServerReflection"} <= services


@pytest.mark.parametrize("service", ["", "feast_spark.api.JobService"])
def test_health_is_served(target, service):
    def request(name):  # HealthCheckRequest {service = 1}
        return (b"\x0a" + bytes([len(name)]) + name.encode()) if name else b""
    with grpc.insecure_channel(target) as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check", request_serializer=request)
        assert check(service, timeout=60) == b"\x08\x01"  # {status = SERVING}


def test_calls_that_are_given_up_leave_the_server_well(target, client, history, project):
    found = history.add(project=project, start_time=START)
    name = project.encode()
    request = b"\x0a" + bytes([len(name)]) + name + b"\x12\x06driver"  # {project = 1, table_name = 2}
    with grpc.insecure_channel(target) as channel:
        call = channel.unary_unary("/feast_spark.api.JobService/ListBatchJobRecords", request_serializer=lambda raw: raw)
        with pytest.raises(grpc.RpcError) as late:
            call(request, timeout=1e-6)
        assert late.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        for begun in [call.future(request, timeout=60) for _ in range(50)]:
            begun.cancel()
        assert call(request, timeout=60) is not None
    assert client.list_batch_job_records(project, "driver", START)[0].id == found


PUBLIC = """
import sys
import grpc
from feast import Client
from feast_spark.api import JobService_pb2 as jobs
import waybill.featurestore  # both in one process

client = Client(registry_url=sys.argv[1])
for call, arguments in ((client.list_projects, ()), (client.get_job, ("x",)), (client.list_job, ())):
    try:
        call(*arguments)
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.UNIMPLEMENTED and "is not offered" in error.details(), error
    else:
        raise SystemExit(f"{call} answered")
print("the public client was answered")
"""


def test_the_public_client_is_answered(target):
    done = subprocess.run([sys.executable, "-c", PUBLIC, target], capture_output=True, text=True, timeout=300,
                          env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and "the public client was answered" in done.stdout, done.stderr


SAME = """
import feast
from feast_spark.api import JobService_pb2
from feast.core import CoreService_pb2
from waybill.featurestore import _messages

compared = 0
def same(theirs, ours):
    global compared
    assert ours is not None, theirs.full_name
    for field in theirs.fields:
        own = ours.fields_by_number.get(field.number)
        assert own is not None and own.name == field.name and own.type == field.type, field.full_name
        assert (own.message_type and own.message_type.full_name) == (field.message_type and field.message_type.full_name)
        assert (own.enum_type and own.enum_type.full_name) == (field.enum_type and field.enum_type.full_name)
        compared += 1
    for enum in theirs.enum_types:
        assert dict(enum.values_by_name).keys() <= dict(ours.enum_types_by_name[enum.name].values_by_name).keys()

seen = set()
def walk(message):
    if message.full_name in seen or message.full_name.startswith("google."):
        return
    seen.add(message.full_name)
    same(message, _messages._pool.FindMessageTypeByName(message.full_name))
    for field in message.fields:
        if field.message_type:
            walk(field.message_type)

service = JobService_pb2.DESCRIPTOR.services_by_name["JobService"]
own = _messages._pool.FindServiceByName("feast_spark.api.JobService")
for method in service.methods:
    assert own.methods_by_name[method.name].input_type.full_name == method.input_type.full_name
    assert own.methods_by_name[method.name].output_type.full_name == method.output_type.full_name
    walk(method.input_type)
    walk(method.output_type)
print("compared", compared)
"""


def test_the_wire_is_that_of_the_public_client():
    done = subprocess.run([sys.executable, "-c", SAME], capture_output=True, text=True, timeout=300,
                          env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin:/bin"})
    assert done.returncode == 0 and int(done.stdout.split()[-1]) > 50, done.stderr + done.stdout
