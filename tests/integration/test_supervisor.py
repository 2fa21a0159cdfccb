"""What shell jobs run under: the small program beside the server's, or the server's own where there is none."""
import pathlib
import shutil

from waybill_testing import BINARY, ROOT


def words_of(server):
    """The command lines of what runs in the server's folder."""
    found = []
    for pid in server.processes_left():
        try:
            found.append((pathlib.Path("/proc") / str(pid) / "cmdline").read_bytes().decode().split("\0"))
        except OSError:
            pass  # it has ended
    return found


def run_one(server, program):
    alice = server.client()
    running = alice.shell("while [ ! -e go ]; do sleep 0.05; done; echo done")["id"]
    alice.wait_for(running, {"RUNNING"})
    assert [words for words in words_of(server) if words[:len(program)] == program], words_of(server)
    server.restart()
    (server.folder / "jobs" / running / "go").touch()
    alice.succeeded(running)
    assert alice.get(f"/job/{running}/stdout").text == "done\n"


def test_shell_jobs_run_under_the_small_program(new_server):
    run_one(new_server().start(), ["waybill-supervise"])


def test_a_program_that_was_installed_alone_does_it_itself(new_server, tmp_path):
    server = new_server()
    server.binary = tmp_path / "waybill"
    shutil.copy2(BINARY, server.binary)
    run_one(server.start(), ["/proc/self/exe", "shell-supervise"])


def test_the_service_unit_leaves_supervisors_alone():
    assert "KillMode=process" in (ROOT / "deploy/waybill.service").read_text().split()
