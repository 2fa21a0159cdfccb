"""Jobs, against the real server."""
import asyncio
import datetime as dt
import uuid

import httpx
import pytest

import waybill
from waybill_testing.waiting import free_port

SHELL = {"command": ["type:shell"], "cluster": ["type:local"]}
PING = {"command": ["type:ping"], "cluster": ["type:local"]}


@pytest.fixture
def client(url):
    with waybill.Client(url, user="ann") as made:
        yield made


def shell(client, line, **more):
    return client.submit(**SHELL, context={"arguments": [line]}, **more)


def test_a_job_from_submit_to_its_end(client):
    job = client.submit(**PING, context={}, tags=["team:ads"], name="hello", version="1")
    assert job.wait(timeout=60) is job
    assert job.status is waybill.JobStatus.SUCCEEDED and job.user == "ann" and job.name == "hello"
    assert "team:ads" in job.tags
    assert job.attributes["Runbook"].value == f"https://docs.example.com/{job.id}"
    assert job.attributes["Runbook"].is_link and job.links == {"Runbook": f"https://docs.example.com/{job.id}"}
    assert job.created_at.tzinfo is not None and job.finished_at >= job.started_at
    assert job.duration == job.finished_at - job.started_at


def test_a_failure_raises_with_its_error(client):
    job = shell(client, "exit 3")
    with pytest.raises(waybill.JobFailed, match="exit status 3") as failure:
        job.wait(timeout=dt.timedelta(seconds=60))
    assert failure.value.job.id == job.id and failure.value.job.status is waybill.JobStatus.FAILED


def test_a_sync_job_that_fails_raises_the_same(client):
    with pytest.raises(waybill.JobFailed, match="exit status 4") as failure:
        client.submit(command=["type:shell-sync"], cluster=["type:local"], context={"arguments": ["exit 4"]})
    assert failure.value.job.status is waybill.JobStatus.FAILED


def test_logs_come_while_it_runs(client):
    job = shell(client, "echo one; echo two >&2; sleep 0.3; echo three")
    assert list(job.logs(follow=True)) == ["one", "three"]
    job.wait(timeout=60)
    assert list(job.logs(stderr=True)) == ["two"]
    assert list(job.logs(tail=1)) == ["three"]


def test_waiting_ends_and_a_cancel_is_told(client):
    job = shell(client, "sleep 300")
    with pytest.raises(waybill.WaitTimeout, match="goes on"):
        job.wait(timeout=0.1)
    job.cancel()
    with pytest.raises(waybill.JobCanceled, match="ann"):
        job.wait(timeout=60)


def test_rerun_is_a_new_job(client):
    first = client.submit(**PING).wait(timeout=60)
    again = first.rerun()
    assert again.id != first.id and again.wait(timeout=60).status is waybill.JobStatus.SUCCEEDED


def test_lists_are_read_as_they_are_looked_at(client):
    tag = f"run:{uuid.uuid4().hex}"
    sent = [client.submit(**PING, tags=[tag]).wait(timeout=60).id for _ in range(3)]
    assert [job.id for job in client.jobs(tags=[tag], since=dt.timedelta(days=1))] == sent[::-1]
    assert [job.id for job in client.jobs(tags=[tag], descending=False, status=["SUCCEEDED"])] == sent
    assert [[job.id for job in page] for page in client.jobs(tags=[tag]).by_page()] == [sent[::-1]]
    assert not list(client.jobs(tags=[tag], status=[waybill.JobStatus.FAILED]))
    assert not list(client.jobs(tags=[tag], until=dt.timedelta(days=1)))


def test_a_result_is_a_table(client):
    job = client.submit(command=["type:ping-sync"], cluster=["type:local"], store_result=True)
    result = job.result()
    assert [column.name for column in result.columns] and result.to_pandas().shape == (len(result.rows), len(result.columns))


def test_errors_have_their_classes(client, url):
    with pytest.raises(waybill.NotFound) as missing:
        client.job("01900000-0000-7000-8000-000000000000")
    assert missing.value.status == 404 and missing.value.message == "unknown job_id" and missing.value.request_id
    with pytest.raises(waybill.InvalidArgument) as nowhere:
        client.submit(command=["type:none"], cluster=["type:local"])
    assert nowhere.value.code == "no_route" and nowhere.value.status == 422
    job = shell(client, "sleep 300")
    with waybill.Client(url, user="mallory") as other, pytest.raises(waybill.PermissionDenied):
        other.cancel(job.id)
    job.cancel()
    with pytest.raises(waybill.JobCanceled):
        job.wait(timeout=60)
    with pytest.raises(waybill.Conflict):
        job.cancel()
    with waybill.Client(url) as nobody, pytest.raises(waybill.PermissionDenied):
        nobody.submit(**PING)


def test_naive_times_and_single_words_are_refused(client):
    with pytest.raises(ValueError, match="since: .* has no time zone"):
        client.jobs(since=dt.datetime(2026, 7, 1))
    with pytest.raises(ValueError, match="give a list"):
        client.submit(command="type:ping", cluster=["type:local"])


def test_the_same_key_is_the_same_job(client):
    key = uuid.uuid4().hex
    first = client.submit(**PING, idempotency_key=key)
    assert client.submit(**PING, idempotency_key=key).id == first.id
    with pytest.raises(waybill.Conflict):
        client.submit(**PING, name="other", idempotency_key=key)


def test_a_lost_answer_never_makes_a_second_run(url):
    """The first answer is lost after the server took the submit; the next attempt carries the same key."""
    class Losing(httpx.HTTPTransport):
        lost = 0

        def handle_request(self, request):
            answer = super().handle_request(request)
            if request.method == "POST" and Losing.lost == 0:
                Losing.lost += 1
                answer.close()
                raise httpx.ReadError("lost on the way", request=request)
            return answer
    tag = f"run:{uuid.uuid4().hex}"
    with waybill.Client(url, user="ann", transport=Losing()) as client:
        job = client.submit(**PING, tags=[tag])
        assert Losing.lost == 1 and [one.id for one in client.jobs(tags=[tag])] == [job.id]


def test_busy_answers_are_waited_out_but_only_for_safe_calls():
    asked = []

    def answer(request):
        asked.append(request)
        if len(asked) < 3:
            return httpx.Response(503, json={"error": "later", "code": "unavailable"}, headers={"Retry-After": "0"})
        return httpx.Response(200, json={"data": []})
    with waybill.Client(transport=httpx.MockTransport(answer)) as client:
        assert list(client.jobs()) == [] and len(asked) == 3
        asked.clear()
        with pytest.raises(waybill.Unavailable):
            client.cancel("x")
        assert len(asked) == 1


def test_a_server_that_is_not_there_is_named():
    url = f"http://127.0.0.1:{free_port()}"
    with waybill.Client(url, retries=0) as client, pytest.raises(waybill.Unavailable, match=url):
        client.job("x")


def test_tokens_and_headers_go_with_each_call():
    tokens = iter(["one", "two"])
    asked = []

    def answer(request):
        asked.append(request.headers)
        return httpx.Response(200, json={"data": []})
    with waybill.Client(token=lambda: next(tokens), headers={"X-Team": "ads"},
                        transport=httpx.MockTransport(answer)) as client:
        list(client.jobs())
        list(client.jobs())
    assert [headers["Authorization"] for headers in asked] == ["Bearer one", "Bearer two"]
    assert asked[0]["X-Team"] == "ads" and asked[0]["User-Agent"].startswith("waybill-sdk/")


def test_the_async_client_has_the_same_shape(url):
    sync = {name for name in dir(waybill.Client) if not name.startswith("_")}
    assert sync == {name for name in dir(waybill.AsyncClient) if not name.startswith("_")}

    async def scene():
        tag = f"run:{uuid.uuid4().hex}"
        async with waybill.AsyncClient(url, user="ann") as client:
            job = await client.submit(**SHELL, context={"arguments": ["echo hi"]}, tags=[tag])
            assert [line async for line in job.logs(follow=True)] == ["hi"]
            await job.wait(timeout=60)
            assert [one.id async for one in client.jobs(tags=[tag])] == [job.id]
            with pytest.raises(waybill.JobFailed):
                await (await client.submit(**SHELL, context={"arguments": ["exit 1"]})).wait(timeout=60)
    asyncio.run(scene())
