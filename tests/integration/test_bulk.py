"""Many jobs in one request."""
import pytest

from waybill_testing.client import job


def rows(answer):
    return answer.json["data"]


def test_a_thousand_jobs_in_order(alice, run):
    answer = alice.post("/jobs", {"jobs": [job("type:ping", name=f"n-{run}-{n}", tags=[f"run:{run}"])
                                           for n in range(1000)]})
    assert answer.status == 200
    assert [row["name"] for row in rows(answer)] == [f"n-{run}-{n}" for n in range(1000)]
    assert len({row["id"] for row in rows(answer)}) == 1000
    assert len(alice.pages("/jobs", {"tags": f"run:{run}"})) == 1000


def test_more_than_a_thousand_are_refused_and_nothing_is_stored(alice, run):
    answer = alice.post("/jobs", {"jobs": [job("type:ping", name=f"n-{run}")] * 1001})
    assert answer.status in (400, 413) and "1000" in answer.json["error"].replace(",", "").replace("'", "")
    assert alice.get("/jobs", query={"name": f"n-{run}"}).json["data"] == []


def test_a_bad_job_does_not_stop_the_others(alice, run):
    answer = alice.post("/jobs", {"jobs": [job("type:ping", name=f"n-{run}"), job("type:nowhere", name=f"n-{run}"),
                                           job("type:guarded", name=f"n-{run}"), job("type:ping", name=f"n-{run}")]})
    assert answer.status == 200
    good, no_route, denied, also_good = rows(answer)
    assert good["id"] and also_good["id"]
    assert no_route["code"] == "no_route" and no_route["error"] == "command-cluster pair is not found"
    assert denied["error"] and "id" not in denied
    assert len(alice.get("/jobs", query={"name": f"n-{run}"}).json["data"]) == 2


def test_atomic_is_all_or_nothing(alice, run):
    jobs = [job("type:ping", name=f"n-{run}"), job("type:nowhere", name=f"n-{run}")]
    answer = alice.post("/jobs", {"jobs": jobs, "atomic": True})
    assert answer.status == 422, answer
    assert alice.get("/jobs", query={"name": f"n-{run}"}).json["data"] == []
    assert alice.post("/jobs", {"jobs": jobs[:1] * 2, "atomic": True}).status == 200


@pytest.mark.parametrize("body", [{}, {"jobs": None}, {"jobs": {}}, {"jobs": ["x"]}, [], {"jobs": [None]}])
def test_what_is_no_list_of_jobs_is_400_or_an_error_a_row(alice, body):
    answer = alice.post("/jobs", body)
    assert answer.status == 400 or all(row.get("error") for row in rows(answer)), answer


def test_cancel_by_ids_answers_each(alice, run):
    running = alice.shell("sleep 300")["id"]
    done = alice.succeeded(alice.submit("type:ping")["id"])["id"]
    foreign = alice.as_user("carol").shell("sleep 300")["id"]
    answer = alice.post("/jobs/cancel", {"ids": [running, done, foreign, "nope"]})
    assert answer.status == 200
    by_id = {row["id"]: row for row in rows(answer)}
    assert by_id[running].get("status") == "CANCELING" and "error" not in by_id[running]
    assert by_id[done]["error"] and by_id[foreign]["error"] and by_id["nope"]["error"]
    alice.wait_for(running, {"CANCELED"})
    assert alice.status(foreign) in ("NEW", "ACCEPTED", "RUNNING")
    alice.as_user("carol").post(f"/job/{foreign}/cancel")


def test_cancel_by_filter(alice, run):
    mine = [alice.shell("sleep 300", tags=[f"run:{run}"])["id"] for _ in range(3)]
    other = alice.shell("sleep 300")["id"]
    answer = alice.post("/jobs/cancel", {"filter": {"tags": f"run:{run}"}})
    assert answer.status == 200 and {row["id"] for row in rows(answer)} == set(mine)
    for one in mine:
        alice.wait_for(one, {"CANCELED"})
    assert alice.status(other) != "CANCELED"
    alice.post(f"/job/{other}/cancel")


@pytest.mark.parametrize("body", [{}, {"filter": {}}, {"filter": {"colour": "blue"}}, {"ids": ["x"], "filter": {"q": "x"}},
                                  {"ids": ["x"] * 1001}])
def test_a_cancel_that_could_mean_everything_is_400(alice, body):
    assert alice.post("/jobs/cancel", body).status == 400
