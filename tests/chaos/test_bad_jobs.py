"""Jobs that behave badly: they end as they should, and the server does not suffer."""
import pathlib
import subprocess

import pytest

from crowd import SOAK
from waybill_testing.client import job
from waybill_testing.waiting import wait_until


@pytest.fixture
def server(new_server, database):
    return new_server(database=database(), config={"limits": {"log_bytes": 1_000_000}}).start()


def rss_kb(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def test_one_that_ignores_term_is_killed(server):
    alice = server.client()
    job = alice.shell("trap '' TERM HUP INT; echo up; while :; do sleep 0.1; done")["id"]
    wait_until(lambda: alice.get(f"/job/{job}/stdout").body == b"up\n", "the job to be up")
    alice.post(f"/job/{job}/cancel")
    alice.wait_for(job, {"CANCELED"})
    assert server.processes_left() == [server.process.pid]


def test_children_and_grandchildren_go_with_it(server):
    alice = server.client()
    job = alice.shell("(sleep 300 & sleep 300) & sleep 300 & echo up; wait")["id"]
    wait_until(lambda: alice.get(f"/job/{job}/stdout").body == b"up\n", "the job to be up")
    alice.post(f"/job/{job}/cancel")
    alice.wait_for(job, {"CANCELED"})
    wait_until(lambda: server.processes_left() == [server.process.pid], "its processes to be gone")


def test_one_that_closes_its_outputs_is_still_followed(server):
    alice = server.client()
    flag = server.folder / "go"
    job = alice.shell(f"exec >&- 2>&- <&-; while [ ! -e {flag} ]; do sleep 0.05; done; exit 3")["id"]
    assert alice.wait_for(job, {"RUNNING"})
    flag.touch()
    assert "exit status 3" in alice.wait_for(job, {"FAILED"})["error"]


def test_a_child_left_behind_with_the_outputs_open_does_not_hold_the_job(server):
    alice = server.client()
    job = alice.shell("sleep 300 & echo done")["id"]
    alice.succeeded(job, seconds=60)
    assert alice.get(f"/job/{job}/stdout").text == "done\n"


def test_one_that_prints_far_more_than_the_cap(server):
    alice = server.client()
    size = 10_000_000_000 if SOAK else 200_000_000
    job = alice.shell(f"echo HEAD; yes | head -c {size}; echo TAIL")["id"]
    alice.succeeded(job, seconds=120 + SOAK * 60)
    text = alice.get(f"/job/{job}/stdout").text
    assert text.startswith("HEAD\ny\n") and text.endswith("y\nTAIL\n") and len(text) < 1_100_000
    on_disk = sum(path.stat().st_size for path in (server.folder / "jobs").rglob("*") if path.is_file())
    assert on_disk < 3_000_000
    assert rss_kb(server.process) < 200_000


def test_one_that_prints_one_endless_line_of_zeros(server):
    alice = server.client()
    job = alice.shell("head -c 50000000 /dev/zero; echo END")["id"]
    alice.succeeded(job, seconds=120)
    assert alice.get(f"/job/{job}/stdout").body.endswith(b"\0END\n")


def test_one_that_writes_rubbish_as_outputs_and_result(server):
    alice = server.client()
    job = alice.shell(r'''printf 'figure=1\nno equals sign\n=x\n9bad=x\nbig=' >> "$WAYBILL_OUTPUT";'''
                      r'''head -c 200000 /dev/zero | tr '\0' x >> "$WAYBILL_OUTPUT"; printf '\n\377\376=\0\nfigure<<EOF\nnever closed' '''
                      r'''>> "$WAYBILL_OUTPUT"; echo '{"columns": 7' > result.json''')["id"]
    seen = alice.wait_for(job)
    assert seen["extra_job_attributes"]["Runbook"]
    assert server.client().get("//healthz").status == 200


def test_many_at_once_are_bounded_by_the_pool(server):
    """The pool has four places: never are there more than four runs."""
    alice = server.client()
    line = f"mkdir {server.folder}/run-$$ && ls -d {server.folder}/run-* | wc -l; sleep 0.1; rmdir {server.folder}/run-$$"
    jobs = [alice.shell(line)["id"] for _ in range(40)]
    for job in jobs:
        alice.succeeded(job)
    counts = [int(alice.get(f"/job/{job}/stdout").text) for job in jobs]
    assert max(counts) <= 4, counts


def small_disk(folder, size):
    """A mount namespace of its own, which needs no root, where `folder` is a small disk."""
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
            f'mkdir -p {folder} && mount -t tmpfs -o size={size} tmpfs {folder} && exec "$@"', "sh"]


def grow_disk(server, folder):
    subprocess.run(["nsenter", "--target", str(server.process.pid), "--user", "--mount", "--preserve-credentials", "mount",
                    "-o", "remount,size=64m", server.folder / folder], check=True)


@pytest.fixture
def disk(new_server, database):
    """A server whose jobs lie on a disk of 2 MB."""
    return new_server(database=database(), config={"limits": {"log_bytes": 100_000_000}},
                      wrapper=small_disk("jobs", "2m")).start()


def test_a_full_disk_ends_jobs_clearly_and_the_server_goes_on(disk):
    alice = disk.client()
    before = alice.shell(f"while [ ! -e {disk.folder}/go ]; do sleep 0.05; done; echo after")["id"]
    alice.wait_for(before, {"RUNNING"})
    filler = alice.shell("yes | head -c 20000000")["id"]
    ended = alice.wait_for(filler, seconds=90)
    assert ended["status"] in ("SUCCEEDED", "FAILED", "KILLED")
    assert alice.get("//healthz").status == 200 and alice.get("/jobs").status == 200
    (disk.folder / "go").touch()
    assert alice.wait_for(before, seconds=90)["status"] in ("SUCCEEDED", "FAILED")
    # Space comes back (another disk would be mounted, old logs removed): the next job runs and keeps its log.
    grow_disk(disk, "jobs")
    wait_until(disk.is_ready, "the server to be ready again")
    again = alice.shell("echo again")["id"]
    alice.succeeded(again, seconds=90)
    assert alice.get(f"/job/{again}/stdout").text == "again\n"


def test_a_full_disk_of_the_database_refuses_submits_and_loses_nothing(new_server):
    """SQLite's: PostgreSQL has a disk of its own."""
    server = new_server(database="sqlite:db/waybill.db", config={"janitor": {"stale_job": 10}},
                        wrapper=small_disk("db", "4m")).start()
    alice = server.client()
    running = alice.shell(f"while [ ! -e {server.folder}/go ]; do sleep 0.05; done; echo end")["id"]
    alice.wait_for(running, {"RUNNING"})
    taken, answer = [running], None
    while answer is None or answer.status == 200:
        assert len(taken) < 100, "4 MB hold no hundred jobs of 200 kB"
        answer = alice.post("/job", job("type:ping", context={"pad": "x" * 200_000}))
        if answer.status == 200:
            taken.append(answer.json["id"])
    assert answer.status == 503 and answer.headers["Retry-After"] and answer.json["error"]
    wait_until(lambda: alice.get("//readyz").status == 503, "the server to say that it is not ready")
    assert alice.get("//healthz").status == 200
    (server.folder / "go").touch()  # the job ends while its end can't be written
    wait_until(lambda: server.processes_left() == [server.process.pid], "the job's processes to be gone")
    grow_disk(server, "db")
    wait_until(server.is_ready, "the server to be ready again")
    for one in taken:
        alice.succeeded(one, seconds=90)
    assert alice.get(f"/job/{running}/stdout").text == "end\n"
