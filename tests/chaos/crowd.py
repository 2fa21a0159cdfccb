"""Jobs that leave a trace of each run, sent by clients that don't give up: what chaos is measured by."""
import collections
import http.client
import os
import threading

from waybill_testing.client import FINAL, job
from waybill_testing.waiting import pause, wait_until

# Minutes that ./x soak gives to each test; 0 in CI.
SOAK = float(os.environ.get("WAYBILL_SOAK_MINUTES", "0"))


class Crowd:
    """`ports`: where servers listen; a client asks the next one when one does not answer. Every job appends its own
    name to one file, so that each run can be counted."""

    def __init__(self, servers, folder, count, threads=4):
        self.servers, self.trace = servers, folder / "trace"
        self.trace.touch()
        self.names = [f"crowd-{n:05}" for n in range(count)]
        self.accepted = {}  # name -> job id
        self.refusals = collections.Counter()
        self.stop_trying = threading.Event()
        self._waiting = collections.deque(self.names)
        self._threads = [threading.Thread(target=self._send, daemon=True) for _ in range(threads)]

    def start(self):
        for thread in self._threads:
            thread.start()
        return self

    def _send(self):
        turn = 0
        while self._waiting and not self.stop_trying.is_set():
            try:
                name = self._waiting.popleft()
            except IndexError:
                return
            body = job("type:shell", name=name, tags=["crowd"], context={"arguments": [f"echo {name} >> {self.trace}"]})
            while not self.stop_trying.is_set():
                client = self.servers[turn % len(self.servers)].client("crowd")
                try:
                    answer = client.post("/job", body, headers={"Idempotency-Key": name}, timeout=20)
                except (OSError, http.client.HTTPException):
                    self.refusals["no answer"] += 1
                    turn += 1
                    pause(0.05)
                    continue
                if answer.status == 200:
                    self.accepted[name] = answer.json["id"]
                    break
                # A server whose database is away says so; anything else is a defect.
                assert answer.status in (429, 503), answer
                self.refusals[answer.status] += 1
                turn += 1
                pause(0.1)

    def is_sending(self):
        return any(thread.is_alive() for thread in self._threads)

    def runs(self):
        return collections.Counter(self.trace.read_text().split())

    def check(self, seconds):
        """All were taken; each ran exactly once and ended well; none is left over."""
        wait_until(lambda: not self.is_sending(), "all submits to be taken", seconds)
        assert sorted(self.accepted) == self.names
        assert len(set(self.accepted.values())) == len(self.names), "two names share a job"
        client = self.servers[-1].client("crowd")

        def all_final():
            rows = client.pages("/jobs", {"tags": "crowd", "order_by": "id", "direction": "asc"})
            open_ones = [row["id"] for row in rows if row["status"] not in FINAL]
            return (len(rows), rows) if not open_ones else None
        count, rows = wait_until(all_final, "every job's end", seconds, every=0.5)
        assert count == len(self.names), "the list has more or fewer jobs than were taken"
        bad = [(row["name"], row["status"], row.get("error"), row.get("status_reason")) for row in rows
               if row["status"] != "SUCCEEDED"]
        assert not bad, bad
        assert {row["id"] for row in rows} == set(self.accepted.values())
        runs = self.runs()
        twice = {name: n for name, n in runs.items() if n != 1}
        assert not twice and set(runs) == set(self.names), (twice, set(self.names) - set(runs))
