"""A PostgreSQL server of the test's own: temp folder, free loopback port, ended by its process id."""
import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import uuid

from .waiting import free_port, wait_until

BIN = pathlib.Path("/usr/lib/postgresql/15/bin")


class Postgres:
    """`durable` keeps fsync on, as the benchmarks need it; tests that crash processes but no machine do without."""

    def __init__(self, durable=False, settings=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="waybill-postgres-", dir="/tmp"))
        self.port = free_port()
        # PostgreSQL refuses to run as root.
        self._as = []
        self._user = pwd.getpwuid(os.geteuid()).pw_name
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self._as = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]
            self._user = "postgres"
        self.data = self.folder / "data"
        self._run(BIN / "initdb", "-D", self.data, "-A", "trust", "-U", self._user, "-E", "UTF8", "--locale=C.UTF-8",
                  "--no-sync")
        self.settings = [f"port={self.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={self.folder}",
                         "max_connections=200", *settings]
        self.settings += [] if durable else ["fsync=off", "full_page_writes=off"]
        self._process = None
        self.start()

    def _run(self, *command):
        done = subprocess.run([*self._as, *map(str, command)], cwd="/tmp", capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{command[0]}: {done.stderr or done.stdout}")
        return done.stdout

    def start(self):
        options = [word for setting in self.settings for word in ("-c", setting)]
        log = open(self.folder / "postgres.log", "ab")
        with log:
            self._process = subprocess.Popen([*self._as, str(BIN / "postgres"), "-D", str(self.data), *options],
                                             cwd="/tmp", stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_until(self.answers, "PostgreSQL's start", seconds=60)

    def answers(self):
        if self._process.poll() is not None:
            raise RuntimeError((self.folder / "postgres.log").read_text(errors="replace"))
        return subprocess.run([BIN / "pg_isready", "-h", "127.0.0.1", "-p", str(self.port)],
                              capture_output=True).returncode == 0

    def stop(self, how=signal.SIGINT):
        """SIGINT: as a restart does it, connections are cut. SIGQUIT: as a crash, with recovery at the next start."""
        if self._process and self._process.poll() is None:
            self._process.send_signal(how)
            self._process.wait(timeout=60)

    def new_database(self):
        """The URL of an empty database."""
        name = "t" + uuid.uuid4().hex[:12]
        self.sql(f"create database {name}", "postgres")
        return self.url(name)

    def url(self, name):
        return f"postgres://{self._user}@127.0.0.1:{self.port}/{name}?sslmode=disable"

    def sql(self, statement, database):
        return self._run(BIN / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p",
                         self.port, "-U", self._user, "-d", database, "-c", statement)

    def close(self):
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)
