"""What the tests in Python stand on: the real program, a real PostgreSQL, a small HTTP client, and waiting."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[4]
# The program under test; another build can be named to try a change quickly.
BINARY = pathlib.Path(os.environ.get("WAYBILL_BINARY", ROOT / "build/release/waybill"))
