"""Who may ask over gRPC, and how: callers in metadata, TLS, addresses."""
import datetime as dt
import subprocess

import grpc
import pytest

import waybill
from waybill.featurestore import Client, JobType
from waybill_testing.history import History
from waybill_testing.server import Server
from waybill_testing.waiting import free_port


@pytest.fixture
def start():
    """Starts servers that end with the test."""
    made = []

    def start(grpc_addr=None, **config):
        port = free_port()
        config.setdefault("server", {})["grpc_addr"] = grpc_addr or f"127.0.0.1:{port}"
        server = Server(config=config)
        made.append(server)
        server.grpc_port = port
        return server

    yield start
    for server in made:
        server.close()


def ask(server, **how):
    with Client(f"127.0.0.1:{server.grpc_port}", **how) as client:
        return client.list_batch_job_records("sample", "driver", dt.datetime(2026, 7, 1, tzinfo=dt.timezone.utc))


def test_a_scoped_history_is_for_admins(start):
    server = start(auth={"read_scoped": True}).start()
    found = History(server).add()
    assert [record.id for record in ask(server, user="admin")] == [found]
    with pytest.raises(waybill.PermissionDenied, match="auth.read_scoped"):
        ask(server, user="alice")
    with pytest.raises(waybill.PermissionDenied, match="cannot identify caller"):
        ask(server)


def test_a_call_without_a_caller_counts_as_the_configured_one(start):
    server = start(auth={"read_scoped": True, "grpc_anonymous_user": "admin"}).start()
    found = History(server).add()
    assert [record.id for record in ask(server)] == [found]


def test_the_header_is_believed_only_from_a_proxy(start):
    server = start(auth={"read_scoped": True, "trusted_proxies": ["10.0.0.0/8"]}).start()
    with pytest.raises(waybill.PermissionDenied, match="cannot identify caller"):
        ask(server, user="admin")


def test_it_speaks_tls_with_the_servers_certificate(start, tmp_path):
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"], check=True, capture_output=True)
    server = start(server={"tls": {"cert": str(cert), "key": str(key)}})
    server.launch()
    with grpc.secure_channel(f"127.0.0.1:{server.grpc_port}",
                             grpc.ssl_channel_credentials(cert.read_bytes())) as channel:
        grpc.channel_ready_future(channel).result(timeout=120)
    with pytest.raises(waybill.NotFound):
        ask(server, ca=str(cert))
    with pytest.raises(waybill.Unavailable):
        ask(server, retries=0)


def test_it_listens_on_a_unix_socket(start, tmp_path):
    start(grpc_addr=f"unix:{tmp_path}/grpc.sock").start()
    with Client(f"unix:{tmp_path}/grpc.sock") as client, pytest.raises(waybill.NotFound):
        client.list_batch_job_records("sample", "driver")


def test_an_address_that_is_taken_refuses_the_start(start):
    first = start().start()
    second = start(grpc_addr=f"127.0.0.1:{first.grpc_port}").launch()
    assert second.process.wait(timeout=120) != 0
    assert f"server.grpc_addr: can't listen on 127.0.0.1:{first.grpc_port}" in second.log()
    assert first.client().get("//readyz").status == 200


def test_a_stop_lets_the_server_go(start):
    server = start().start()
    with Client(f"127.0.0.1:{server.grpc_port}") as client:
        with pytest.raises(waybill.NotFound):
            client.list_batch_job_records("sample", "driver")
        assert server.stop() == 0


def test_texts_that_no_database_holds_are_refused(start):
    server = start().start()
    with Client(f"127.0.0.1:{server.grpc_port}") as client:
        with pytest.raises(waybill.InvalidArgument, match="table_name"):
            client.list_batch_job_records("sample", "a\0b")
        with pytest.raises(waybill.InvalidArgument, match="start: .* is after end"):
            late = dt.datetime(2026, 7, 2, tzinfo=dt.timezone.utc)
            client.list_batch_job_records("sample", "a", late, late - dt.timedelta(days=1))
        with pytest.raises(waybill.InvalidArgument, match="type: 3"):
            client.list_batch_job_records("sample", "a", type=3)
        with pytest.raises(waybill.NotFound):
            client.list_batch_job_records("sample'; drop table records; --", "%", type=JobType.BATCH_INGESTION_JOB)
