"""The server, its database or its twin dies while jobs come and run: none is lost, doubled or stuck."""
import concurrent.futures
import signal
import time

from crowd import SOAK, Crowd
from waybill_testing.client import job
from waybill_testing.postgres import Postgres
from waybill_testing.server import Server
from waybill_testing.waiting import pause, wait_until

QUICK_LEASES = {"janitor": {"stale_job": 10}, "pool": {"size": 8, "sleep": 250}}
MOST_SECONDS = 180 + SOAK * 60


def keep_disturbing(crowd, dice, at_least, disturb):
    """While jobs come in, at random moments, at least so often and at most three times that."""
    deadline, count = time.monotonic() + MOST_SECONDS / 2, 0
    while (crowd.is_sending() and count < 3 * at_least * (10 if SOAK else 1) or count < at_least) and time.monotonic() < deadline:
        pause(dice.uniform(0.02, 1.2))
        disturb()
        count += 1
    assert count >= at_least


def test_kill_9_of_the_server_at_random_moments(new_server, database, dice, big):
    server = new_server(database=database(), config=QUICK_LEASES).start()
    crowd = Crowd([server], server.folder, 500 * big).start()

    def disturb():
        server.kill()
        server.launch()
        if dice.random() < 0.7:  # else it is hit again while it starts
            wait_until(server.is_ready, "the server after a kill")
    keep_disturbing(crowd, dice, 6, disturb)
    wait_until(server.is_ready, "the server after the last kill")
    crowd.check(MOST_SECONDS)


def test_sigterm_and_start_lose_nothing_either(new_server, database, dice):
    server = new_server(database=database(), config=QUICK_LEASES).start()
    crowd = Crowd([server], server.folder, 200).start()

    def disturb():
        assert server.stop() == 0
        server.start()
    keep_disturbing(crowd, dice, 3, disturb)
    crowd.check(MOST_SECONDS)


def test_postgresql_goes_away_in_between(new_server, dice, big):
    own = Postgres()
    try:
        server = new_server(database=own.new_database(), config=QUICK_LEASES).start()
        crowd = Crowd([server], server.folder, 300 * big).start()

        def disturb():
            own.stop(dice.choice([signal.SIGINT, signal.SIGQUIT]))
            assert server.client().get("//healthz").status == 200, "it lives without its database"
            wait_until(lambda: server.client().get("//readyz").status == 503, "the server to say it is not ready")
            own.start()
            wait_until(server.is_ready, "the server after its database's return")
        keep_disturbing(crowd, dice, 3, disturb)
        crowd.check(MOST_SECONDS)
        assert server.process.poll() is None
    finally:
        own.close()


def test_one_of_two_servers_on_one_postgresql_dies(new_server, postgres, dice):
    first = new_server(database=postgres.new_database(), config=QUICK_LEASES).start()
    second = Server(database=first.database, folder=first.folder, name="second", config=QUICK_LEASES)
    try:
        second.start()
        crowd = Crowd([first, second], first.folder, 300).start()
        wait_until(lambda: len(crowd.accepted) > dice.randint(50, 200), "some jobs to be taken")
        first.kill()  # and stays away
        crowd.check(MOST_SECONDS)
    finally:
        second.close()


def test_jobs_that_run_when_the_server_dies_are_adopted(new_server, database):
    """A job outlives three servers and its end is seen by the fourth."""
    server = new_server(database=database(), config=QUICK_LEASES).start()
    alice = server.client()
    flag = server.folder / "go"
    running = alice.shell(f"echo start; while [ ! -e {flag} ]; do sleep 0.05; done; echo end; exit 5")["id"]
    unseen = alice.shell(f"while [ ! -e {flag} ]; do sleep 0.05; done; echo unseen")["id"]
    for one in (running, unseen):
        alice.wait_for(one, {"RUNNING"})
    for _ in range(2):
        server.kill()
        server.start()
        assert alice.status(running) == "RUNNING"
    server.kill()
    flag.touch()  # both end while no server is there to see it
    wait_until(lambda: not server.processes_left(), "the jobs' end")
    server.start()
    assert "exit status 5" in alice.wait_for(running, {"FAILED"})["error"]
    alice.succeeded(unseen)
    assert alice.get(f"/job/{running}/stdout").text == "start\nend\n"
    assert alice.get(f"/job/{unseen}/stdout").text == "unseen\n"
    assert alice.job(running)["attempt"] == 1


def test_a_cancel_survives_the_server(new_server, database):
    server = new_server(database=database(), config=QUICK_LEASES).start()
    alice = server.client()
    stubborn = alice.shell("trap '' TERM; while :; do sleep 0.1; done")["id"]
    alice.wait_for(stubborn, {"RUNNING"})
    assert alice.post(f"/job/{stubborn}/cancel").status == 200
    server.kill()
    server.start()
    assert alice.wait_for(stubborn, {"CANCELED"})["canceled_by"] == "alice"


def test_a_sync_job_is_adopted_and_its_key_answers_its_result(new_server, database):
    server = new_server(database=database(), config=QUICK_LEASES).start()
    flag = server.folder / "go"
    body = job("type:shell-sync", name="sync", context={"arguments": [f"while [ ! -e {flag} ]; do sleep 0.05; done; echo done"]})
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        cut = pool.submit(lambda: server.client().post("/job", body, headers={"Idempotency-Key": "k"}))
        wait_until(lambda: [r for r in server.client().get("/jobs?name=sync").json["data"] if r["status"] == "RUNNING"], "it to run")
        server.kill()
        assert cut.exception(timeout=30) is not None
    server.start()
    flag.touch()
    answer = server.client().post("/job", body, headers={"Idempotency-Key": "k"})
    assert answer.status == 200 and answer.json["status"] == "SUCCEEDED"
    assert len(server.client().get("/jobs?name=sync").json["data"]) == 1
