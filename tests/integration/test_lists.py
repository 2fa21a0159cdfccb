"""Lists: filters, orders, and what pages promise while jobs come in."""
import json

import pytest

from waybill_testing.client import job


@pytest.fixture
def jobs(alice, run):
    """Twelve jobs of one test, oldest first, done."""
    sent = [alice.submit("type:ping", name=f"n-{run}-{n:02}", version=str(n % 3), tags=[f"run:{run}", f"odd:{n % 2}"])
            for n in range(12)]
    for one in sent:
        alice.succeeded(one["id"])
    return sent


def ids(rows):
    return [row["id"] for row in rows]


def listed(client, **query):
    answer = client.get("/jobs", query=query)
    assert answer.status == 200, answer
    return answer.json["data"]


@pytest.mark.parametrize("order", ["id", "created_at", "updated_at", "name", "status", "duration"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_pages_show_every_row_once_in_order(alice, run, jobs, order, direction):
    rows = alice.pages("/jobs", {"tags": f"run:{run}", "order_by": order, "direction": direction, "limit": 5})
    assert sorted(ids(rows)) == sorted(ids(jobs))
    if order in ("id", "name"):
        assert ids(rows) == (ids(jobs) if direction == "asc" else ids(reversed(jobs)))


def test_a_page_says_whether_there_is_more(alice, run, jobs):
    first = alice.get("/jobs", query={"tags": f"run:{run}", "limit": 12}).json
    assert len(first["data"]) == 12 and "has_more" not in first and "next_cursor" not in first
    shorter = alice.get("/jobs", query={"tags": f"run:{run}", "limit": 11}).json
    assert len(shorter["data"]) == 11 and shorter["has_more"] is True and shorter["next_cursor"]


def test_rows_that_come_in_between_pages_shift_nothing(alice, run, jobs):
    query = {"tags": f"run:{run}", "limit": 4, "order_by": "created_at", "direction": "desc"}
    first = alice.get("/jobs", query=query).json
    late = alice.submit("type:ping", tags=[f"run:{run}"])
    rest = alice.pages("/jobs", {**query, "cursor": first["next_cursor"]})
    seen = ids(first["data"]) + ids(rest)
    assert seen == ids(reversed(jobs)) and late["id"] not in seen


def test_filters(alice, run, jobs):
    tag = f"run:{run}"
    names = lambda **q: [row["name"] for row in reversed(listed(alice, tags=tag, **q))]
    everything = [one["name"] for one in jobs]
    assert names(name=f"n-{run}-0%") == everything[:10]
    assert names(name=f"n-{run}-_1") == [everything[1], everything[11]]
    assert names(version="2") == everything[2::3]
    assert names(username="alice", command="ping", cluster="local", status="SUCCEEDED") == everything
    assert names(status="RUNNING,SUCCEEDED") == everything
    assert names(status=" SUCCEEDED") == names(status="succeeded") == []
    assert names(status="FAILED") == names(username="bob") == names(command="shell") == []
    assert names(id=jobs[3]["id"]) == [everything[3]]
    assert names(mine="true") == everything
    assert [row["id"] for row in listed(alice, tags=f"{tag},odd:1,_name:{everything[5]}")] == [jobs[5]["id"]]
    assert listed(alice.as_user("bob"), tags=tag, mine="true") == []
    assert names(q=everything[7]) == [everything[7]]


def test_times_are_half_a_filter_each(alice, run, jobs):
    created = alice.job(jobs[0]["id"])["created_at"]
    tag = f"run:{run}"
    assert len(listed(alice, tags=tag, **{"from": "2020-01-01T00:00:00Z"})) == 12
    assert listed(alice, tags=tag, to="2020-01-01T00:00:00Z") == []
    assert listed(alice, tags=tag, finished_from="2100-01-01T00:00:00Z") == []
    assert len(listed(alice, tags=tag, finished_from="2020-01-01T00:00:00Z", finished_to="2100-01-01T00:00:00Z")) == 12
    assert created > 1_500_000_000


def test_like_patterns_know_their_escape(alice, run):
    sent = [alice.submit("type:ping", name=name) for name in (f"{run}_a", f"{run}xa", f"{run}%a")]
    assert ids(listed(alice, name=f"{run}\\_a")) == [sent[0]["id"]]
    assert ids(listed(alice, name=f"{run}\\%a")) == [sent[2]["id"]]
    assert len(listed(alice, name=f"{run}_a")) == 3
    assert listed(alice, name=f"{run.upper()}\\_A") == []


def test_the_last_of_doubled_parameters_counts_and_unknown_ones_do_not(alice, run, jobs):
    answer = alice.get(f"/jobs?name=nothing&name=n-{run}-03&colour=blue")
    assert ids(answer.json["data"]) == [jobs[3]["id"]]


@pytest.mark.parametrize("query", [
    {"order_by": "colour"}, {"direction": "up"}, {"cursor": "not a cursor"}, {"cursor": "AAAA"}, {"from": "yesterday"},
    {"min_duration": "long"}])
def test_what_a_list_cannot_do_is_400(alice, query):
    answer = alice.get("/jobs", query=query)
    assert answer.status == 400 and answer.json["error"], answer


@pytest.mark.parametrize("limit, most", [("0", 101), ("-3", 101), ("x", 101), ("", 101), ("5000", 101), ("3", 3)])
def test_a_limit_that_is_none_means_101(alice, run, jobs, limit, most):
    assert len(listed(alice, tags=f"run:{run}", limit=limit)) == min(most, 12)


def test_a_cursor_of_another_order_is_refused(alice, run, jobs):
    page = alice.get("/jobs", query={"tags": f"run:{run}", "limit": 2, "order_by": "name"}).json
    answer = alice.get("/jobs", query={"order_by": "id", "cursor": page["next_cursor"]})
    assert answer.status == 400, answer


@pytest.mark.parametrize("word", ["NEWISH", "'; drop table jobs; --", "%"])
def test_hostile_filters_match_nothing_or_are_refused(alice, word):
    for parameter in ("status", "tags", "name", "username", "id", "command", "cluster", "q"):
        answer = alice.get("/jobs", query={parameter: word, "limit": 1})
        assert answer.status in (200, 400), (parameter, answer)


def test_json_lines_stream_up_to_a_thousand(alice, run, jobs):
    answer = alice.get("/jobs", query={"tags": f"run:{run}", "limit": 1000}, headers={"Accept": "application/jsonl"})
    assert answer.status == 200 and answer.headers["Content-Type"].startswith("application/jsonl")
    rows = [json.loads(line) for line in answer.text.splitlines() if line]
    assert sorted(ids(r for r in rows if "id" in r)) == sorted(ids(jobs))


def test_rows_carry_context_but_not_results_and_cut_the_big_ones(alice, run):
    small = alice.submit("type:ping", tags=[f"run:{run}"], context={"a": 1})
    big = alice.submit("type:ping", tags=[f"run:{run}"], context={"a": "x" * 20000})
    alice.succeeded(small["id"]), alice.succeeded(big["id"])
    rows = {row["id"]: row for row in listed(alice, tags=f"run:{run}")}
    assert rows[small["id"]]["context"] == {"a": 1}
    assert rows[big["id"]]["context"]["$truncated"] > 20000
    assert all("result" not in row for row in rows.values())
    assert alice.job(big["id"])["context"] == {"a": "x" * 20000}


def test_commands_and_clusters_have_lists(alice):
    commands = alice.get("/commands", query={"name": "ping%"}).json["data"]
    assert sorted(row["id"] for row in commands) == ["ping", "ping-sync"]
    assert {row["plugin"] for row in alice.get("/commands", query={"plugin": "shell"}).json["data"]} == {"shell"}
    assert [row["id"] for row in alice.get("/clusters", query={"name": "local"}).json["data"]] == ["local"]
    assert alice.get("/commands", query={"status": "DELETED"}).json["data"] == []


def test_a_new_list_is_there_but_empty(alice, run):
    answer = alice.get("/jobs", query={"name": f"none-{run}"}).json
    assert answer["data"] == [] and "next_cursor" not in answer
    assert alice.post("/job", job("type:ping")).status == 200
