#!/usr/bin/env python3
"""Writes src/waybill/featurestore/_descriptors.py from proto/, with the protoc on PATH. With --check: fails if the file says
something else than proto/ does."""
import argparse
import base64
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
TARGET = HERE / "src/waybill/featurestore/_descriptors.py"
HEAD = '''"""Made from proto/ by sdk/python/generate.py: the files of the gRPC API as descriptors, imports first."""

FILES = """
'''


def described():
    """The serialized FileDescriptorSet, without comments and places."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "set"
        subprocess.run(["protoc", f"--proto_path={PROTO}", "--include_imports", f"--descriptor_set_out={out}",
                        "feast_spark/api/job_service.proto"], check=True, cwd=PROTO)
        return out.read_bytes()


def written():
    if not TARGET.exists():
        return b""
    return base64.b64decode(re.search(r'FILES = """(.*)"""', TARGET.read_text(), re.DOTALL).group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check, now = parser.parse_args().check, described()
    if written() == now:
        return 0
    if check:
        print(f"{TARGET} is older than proto/; sdk/python/generate.py writes it", file=sys.stderr)
        return 1
    TARGET.write_text(HEAD + "\n".join(textwrap.wrap(base64.b64encode(now).decode(), 110)) + '\n"""\n')
    return 0


if __name__ == "__main__":
    sys.exit(main())
