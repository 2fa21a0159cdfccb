"""The template engine beside Go's on random templates: the recorded answers, and, where there is Go, Go itself."""
import pathlib
import shutil
import subprocess
import sys

from waybill_testing import BINARY, ROOT

sys.path.insert(0, str(ROOT / "tests/fuzz/template_against_go"))

import run  # noqa: E402

COMPARE = BINARY.parent / "tests/fuzz/template_compare"
RECORDED = ROOT / "tests/testdata/gotemplate/random.jsonl"


def test_gos_recorded_answers_are_ours():
    answers = RECORDED.read_bytes()
    assert answers.count(b"\n") == 1000
    assert run.differences(COMPARE, answers) == b""


def test_a_wrong_answer_would_be_seen():
    wrong = b'{"template":"{{ .Job.ID }}","data":{"Job":{"ID":"a"}},"want":"b"}\n'
    assert b'printed "a"; want "b"' in run.differences(COMPARE, wrong)


if shutil.which("go"):
    def test_go_still_answers_as_recorded(tmp_path):
        oracle = run.build_oracle(tmp_path)
        recorded = RECORDED.read_bytes()
        assert run.go_answers(oracle, recorded.decode("utf-8", "surrogatepass")) == recorded

    def test_gos_answers_to_new_templates_are_ours(tmp_path):
        script = pathlib.Path(run.__file__)
        done = subprocess.run([sys.executable, script, COMPARE, "--templates", "1000", "--seed", "2"],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
