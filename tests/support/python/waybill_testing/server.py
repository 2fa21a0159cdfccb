"""The real program as a server, in a temp folder on a free port."""
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import yaml

from . import BINARY
from .client import Client
from .waiting import free_port, wait_until

SH = ["/bin/sh", "-c"]


def command(name, plugin, **members):
    return {"name": name, "plugin": plugin, "version": "1", "tags": [f"type:{name}"], "cluster_tags": ["type:local"],
            **members}


# Enough to run anything on this machine. Tests add to it or replace parts of it.
BASE_CONFIG = {
    "auth": {"admins": ["^admin$"], "catalog_writers": ["^admin$", "^writer$"]},
    "pool": {"size": 4, "sleep": 250},
    "commands": [
        command("ping", "ping"),
        command("ping-sync", "ping", is_sync=True),
        command("shell", "shell", context={"command": SH}),
        command("shell-sync", "shell", is_sync=True, context={"command": SH}),
        command("shell-bare", "shell"),
        command("guarded", "ping", is_sync=True, allowed_callers=["team-a-.*", "bob"]),
    ],
    "clusters": [
        {"name": "local", "version": "1", "tags": ["type:local"], "attributes": {
            "Runbook": {"kind": "link", "value": "https://docs.example.com/{{ .Job.ID }}"},
            "Figure": {"kind": "text", "value": "{{ .Outputs.figure }}"},
        }},
    ],
}


def merged(base, change):
    """Maps are merged, everything else is replaced."""
    if isinstance(base, dict) and isinstance(change, dict):
        return {**base, **{k: merged(base.get(k), v) for k, v in change.items()}}
    return change


class Server:
    """`database`: a URL, or None for SQLite in the server's folder. `config` is merged into BASE_CONFIG; a str is
    the whole file, with {port}, {database} and {folder} filled in. Servers that share a folder need different names."""

    def __init__(self, database=None, config=None, folder=None, environment=None, name="waybill",
                 wrapper=()):
        self.own_folder = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="waybill-server-", dir="/tmp"))
        self.database = database or f"sqlite:{self.folder}/{name}.db"
        self.port = free_port()
        self.environment = environment or {}
        self.wrapper = wrapper  # a command that executes the one after it, such as `nice`
        self.binary = BINARY
        self.process = None
        self.config_file = self.folder / f"{name}.yaml"
        self.log_file = self.folder / f"{name}.log"
        self.write_config(config)

    def write_config(self, config=None):
        own = {"server": {"addr": f"127.0.0.1:{self.port}", "grpc_addr": ""},
               "database": {"connection_string": self.database},
               "jobs_directory": f"{self.folder}/jobs", "archive_directory": f"{self.folder}/archive",
               "result_directory": f"{self.folder}/results"}
        if isinstance(config, str):
            text = (config.replace("{port}", str(self.port)).replace("{database}", self.database)
                    .replace("{folder}", str(self.folder)))
        else:
            text = yaml.safe_dump(merged(merged(BASE_CONFIG, own), config or {}), sort_keys=False, allow_unicode=True)
        self.config_file.write_text(text, encoding="utf-8")

    def launch(self):
        """Starts it and does not wait."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8", **self.environment}
        with open(self.log_file, "ab") as log:
            self.process = subprocess.Popen([*self.wrapper, str(self.binary), "serve", "--config",
                                             str(self.config_file)], cwd=self.folder, env=environment,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def start(self, seconds=60):
        self.launch()
        wait_until(self.is_ready, "the server's start", seconds)
        return self

    def is_ready(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the server ended with {self.process.returncode}:\n{self.log()[-4000:]}")
        try:
            return Client(self.port, None).get("//readyz", timeout=10).status == 200
        except OSError:
            return False

    def client(self, user="alice", judge=None):
        return Client(self.port, user, judge)

    def log(self):
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self):
        """As systemd does it; a server that does not go within half a minute is an error."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(timeout=30)
        return self.process.returncode if self.process else 0

    def kill(self):
        self.process.kill()
        self.process.wait(timeout=30)

    def restart(self):
        self.stop()
        return self.start()

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        for pid in self.processes_left():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def processes_left(self):
        """Jobs outlive their server by design: those that run in this server's folder or were told of it."""
        mark, found = str(self.folder), []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    said = (entry / "cmdline").read_bytes().decode(errors="replace")
                    if mark in said or os.readlink(entry / "cwd").startswith(mark):
                        found.append(int(entry.name))
                except OSError:
                    pass  # it has gone, or is not ours
        return found

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        try:
            self.stop()  # so that the next on its database may have other directories at once
        finally:
            self.close()
