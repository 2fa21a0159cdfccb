"""Servers of one database share their directories; databases don't."""
import subprocess

from waybill_testing import BINARY
from waybill_testing.server import Server
from waybill_testing.waiting import wait_until


def refusal(server):
    """What a server that must not start says."""
    run = subprocess.run([str(BINARY), "serve", "--config", str(server.config_file)], cwd=server.folder,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    assert run.returncode == 1, run
    return run.stderr


def beside(first, name, **config):
    """Another server on the first one's database, of the same directories but for what `config` says."""
    return Server(database=first.database, folder=first.folder, name=name, config=config)


def test_a_second_server_must_share_every_directory(new_server, postgres):
    first = new_server(database=postgres.new_database()).start()
    for setting in ("jobs_directory", "archive_directory", "result_directory"):
        elsewhere = f"{first.folder}/elsewhere"
        said = refusal(beside(first, f"second-{setting}", **{setting: elsewhere}))
        own = str(first.folder / {"jobs_directory": "jobs", "archive_directory": "archive", "result_directory": "results"}[setting])
        assert f"{setting} {elsewhere} is not the directory" in said and f"({own})" in said and "stop that instance" in said
    assert first.is_ready()
    with beside(first, "third", jobs_directory=f"{first.folder}/./jobs") as third:
        sent = third.client().succeeded(third.client().shell("echo from either")["id"])["id"]
        for server in (first, third):
            assert server.client().get(f"/job/{sent}/stdout").text == "from either\n"


def test_after_a_stop_the_directories_may_be_others(new_server, postgres):
    first = new_server(database=postgres.new_database()).start()
    first.stop()
    with beside(first, "second", jobs_directory=f"{first.folder}/elsewhere") as second:
        assert "is not the directory" in refusal(beside(first, "waybill"))
        assert second.is_ready()


def test_a_directory_of_another_database_is_refused_and_left_alone(new_server, database):
    first = new_server(database=database()).start()
    alice = first.client()
    sent = alice.succeeded(alice.shell("echo kept")["id"])["id"]
    first.stop()
    second = Server(database=database(), folder=first.folder, name="second")
    said = refusal(second)
    assert "jobs_directory" in said and str(first.folder / "jobs") in said and "give each database directories" in said
    if second.database.startswith("postgres"):
        names = [url.database.rsplit("/", 1)[1].split("?")[0] for url in (first, second)]
    else:
        names = ["waybill.db", "second.db"]
    assert all(name in said for name in names), said
    first.start()
    assert alice.get(f"/job/{sent}/stdout").text == "kept\n"
    # Given up: the mark is removed by hand, and the files of jobs that the new database doesn't know go.
    first.stop()
    for directory in ("jobs", "archive", "results"):
        (first.folder / directory / ".instances/database").unlink()
    second.start()
    wait_until(lambda: not (first.folder / "jobs" / sent).exists(), "the sweep", 180)
    second.close()
