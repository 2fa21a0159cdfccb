"""A long queue: ten thousand jobs wait, some run, the server crashes, the rest is called off."""
import collections
import json
import re

from waybill_testing.client import job
from waybill_testing.waiting import wait_until

COUNT = 10_000
QUICK_LEASES = {"janitor": {"stale_job": 10}}


def live_jobs(client):
    """Jobs that are not over, as the metrics count them."""
    return sum(map(int, re.findall(r'^waybill_jobs\{status="\w+"\} (\d+)$', client.get("//metrics").text, re.M)))


def all_rows(client):
    """A thousand a page, as lines; the last line may name the next page."""
    rows, cursor = [], ""
    while cursor is not None:
        answer = client.get("/jobs", query={"limit": 1000, "cursor": cursor}, headers={"Accept": "application/jsonl"})
        assert answer.status == 200, answer
        lines = [json.loads(line) for line in answer.text.splitlines()]
        cursor = lines.pop()["next_cursor"] if lines and "next_cursor" in lines[-1] else None
        rows += lines
    return rows


def test_ten_thousand_waiting_jobs_survive_a_crash(new_server, database):
    server = new_server(database=database(), config={"roles": ["api"], **QUICK_LEASES}).start()
    alice = server.client()
    ids = []
    for first in range(0, COUNT, 1000):
        answer = alice.post("/jobs", {"jobs": [job("type:ping", name=f"queued-{first + n}") for n in range(1000)]})
        assert answer.status == 200, answer
        ids += [one["id"] for one in answer.json["data"]]
    assert len(set(ids)) == live_jobs(alice) == COUNT
    server.stop()
    server.write_config(QUICK_LEASES)
    server.start()
    wait_until(lambda: live_jobs(alice) < COUNT * 0.95, "the first hundreds to be done", 120)
    server.kill()
    server.start()
    before = live_jobs(alice)
    wait_until(lambda: live_jobs(alice) < before - COUNT * 0.05, "it to go on", 120)

    def all_over():  # what still waits is called off, as far as one call goes
        assert alice.post("/jobs/cancel", {"filter": {"name": "queued-%"}}).status == 200
        return live_jobs(alice) == 0
    wait_until(all_over, "the rest to be called off", 120)
    rows = all_rows(alice)
    assert len(rows) == COUNT and {row["id"] for row in rows} == set(ids)
    assert {row["attempt"] for row in rows} == {1}
    ended = collections.Counter(row["status"] for row in rows)
    assert set(ended) <= {"SUCCEEDED", "CANCELED"} and ended["SUCCEEDED"] > COUNT * 0.1, ended
