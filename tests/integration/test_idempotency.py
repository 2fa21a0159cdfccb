"""One key, one job: repeated, at the same time, after a restart."""
import concurrent.futures

import pytest

from waybill_testing.client import job


def key(word):
    return {"Idempotency-Key": word}


def test_the_same_key_twice_is_one_job(alice, run):
    body = job("type:ping", name=f"n-{run}")
    first = alice.post("/job", body, headers=key(run))
    second = alice.post("/job", body, headers=key(run))
    assert first.status == second.status == 200
    assert first.json["id"] == second.json["id"] and first.json["idempotency_key"] == run
    assert len(alice.get("/jobs", query={"name": f"n-{run}"}).json["data"]) == 1


def test_another_body_under_the_key_is_409(alice, run):
    alice.post("/job", job("type:ping", name=f"n-{run}"), headers=key(run))
    other = alice.post("/job", job("type:ping", name=f"other-{run}"), headers=key(run))
    assert other.status == 409 and other.json["error"]
    assert alice.get("/jobs", query={"name": f"other-{run}"}).json["data"] == []


def test_the_same_request_spelled_otherwise_is_the_same(alice, run):
    """Order of members and spaces say nothing."""
    first = alice.post("/job", job("type:ping", name=f"n-{run}", tags=["a:1", "b:2"]), headers=key(run))
    text = ('{ "tags": ["b:2", "a:1"], "cluster_criteria": ["type:local"],\n "command_criteria": ["type:ping"],'
            f' "version": "1", "name": "n-{run}"}}')
    second = alice.post("/job", body=text.encode(), headers=key(run))
    assert second.status == 200 and second.json["id"] == first.json["id"], second


def test_keys_are_each_callers_own(alice, run):
    body = job("type:ping", name=f"n-{run}")
    first = alice.post("/job", body, headers=key(run))
    other = alice.as_user("carol").post("/job", body, headers=key(run))
    assert other.status == 200 and other.json["id"] != first.json["id"]


def test_another_endpoint_under_the_key_is_409(alice, run):
    alice.post("/job", job("type:ping", name=f"n-{run}"), headers=key(run))
    assert alice.post("/jobs", {"jobs": [job("type:ping", name=f"n-{run}")]}, headers=key(run)).status == 409


def test_twenty_at_the_same_time_are_one_job(alice, run):
    body = job("type:ping", name=f"n-{run}")
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: alice.post("/job", body, headers=key(run)), range(20)))
    assert {a.status for a in answers} == {200}, answers
    assert len({a.json["id"] for a in answers}) == 1
    assert len(alice.get("/jobs", query={"name": f"n-{run}"}).json["data"]) == 1


def test_a_repeated_sync_submit_attaches_to_the_running_job(alice, run):
    body = job("type:shell-sync", name=f"n-{run}", context={"arguments": ["sleep 1; echo once >> ../" + run]})
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: alice.post("/job", body, headers=key(run)), range(4)))
    assert {a.status for a in answers} == {200}, answers
    assert len({a.json["id"] for a in answers}) == 1
    assert {a.json["status"] for a in answers} == {"SUCCEEDED"}


def test_a_bulk_submit_is_covered_as_a_whole(alice, run):
    body = {"jobs": [job("type:ping", name=f"n-{run}"), job("type:nothing", name=f"n-{run}")]}
    first, second = (alice.post("/jobs", body, headers=key(run)) for _ in range(2))
    assert first.status == second.status == 200
    assert len(alice.get("/jobs", query={"name": f"n-{run}"}).json["data"]) == 1
    ids = [[row.get("id") for row in answer.json["data"]] for answer in (first, second)]
    assert ids[0] == ids[1] and ids[0][0] and ids[0][1] is None


def test_a_key_survives_a_restart(new_server, database, run):
    server = new_server(database=database()).start()
    body = job("type:ping", name=f"n-{run}")
    first = server.client().post("/job", body, headers=key(run))
    server.restart()
    second = server.client().post("/job", body, headers=key(run))
    assert second.status == 200 and second.json["id"] == first.json["id"]
    assert server.client().post("/job", job("type:ping", name="x"), headers=key(run)).status == 409


@pytest.mark.parametrize("bad", ["x" * 5000, "a\x01b"])
def test_a_key_that_can_be_none_is_refused(alice, bad):
    answer = alice.post("/job", job("type:ping"), headers=key(bad))
    assert answer.status in (400, 431), answer
