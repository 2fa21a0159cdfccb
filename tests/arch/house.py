"""What docs/ARCHITECTURE.md and docs/STYLE.md promise and a reading of the files can check.

A tree is a dict from paths (relative to the repository) to texts, so that the rules can be shown wrong trees too.
Every rule is a generator of complaints: `path:line: what is wrong`.
"""
import posixpath
import re
import subprocess

SOURCE = "src/waybill/"
# From the door inwards. A room may include rooms further down this list, and itself.
ROOMS = ["app", "api", "cli", "engine", "history", "featurestore", "plugins", "kube", "storage", "config", "ports",
         "template", "domain", "base"]
# Arrows that point down and are wrong all the same: the server knows nothing of its clients.
FORBIDDEN_ARROWS = {("api", "cli")}
# Rooms of pure values and decisions: no I/O, no thread, no library but these.
PURE_ROOMS = {"domain", "template"}
IMPURE = re.compile(r"(boost/(asio|beast)|soci|curl|spdlog|yaml-cpp|CLI|grpcpp|prometheus|thread|mutex|fstream|filesystem)\b")
# Libraries whose headers are dear to parse or bring macros along: not in a header that another folder includes.
HEAVY = re.compile(r"(boost/beast|soci/|soci-|curl/|CLI/|spdlog/|grpcpp/|grpc\+\+/|yaml-cpp/|prometheus/)")
MOST_LINES = 450
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SQL = re.compile(r'"[^"\n]*\b(select\s[^"\n]*\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s'
                 r'|(create|alter|drop)\s+(table|index)\s)', re.IGNORECASE)
# Executors that talk to other databases send those their own statements.
SQL_ROOMS = (SOURCE + "storage/", SOURCE + "plugins/postgres/", SOURCE + "plugins/trino/",
             SOURCE + "plugins/clickhouse/")
# Spelled in two halves, so that this file does not find itself.
MACHINE = re.compile("(^|[^A-Za-z0-9_.])/(" "work|farm" ")/|/tmp/" "h/|/root/" r"\.|\.\./" "shared")
FOREIGN = re.compile(r"\b(" "steer" "ing|sub" "agents?|L" "LMs?|C" "EO)" r"\b", re.IGNORECASE)
SKIPPED = re.compile("GTEST_" r"SKIP|\bDIS" r"ABLED_|pytest\.mark\.(sk" r"ip|xf" r"ail)|pytest\.sk" r"ip\(|\b(TO" "DO|FIX" "ME|XX" r"X)\b")
SLEEPS = re.compile(r"\b(sleep" r"_for|us" r"leep|time\.sl" r"eep)\(")
TEXT_FILES = (".cc", ".h", ".py", ".sh", ".md", ".txt", ".yaml", ".yml", ".json", ".cmake", ".sql", ".service", ".in",
              ".toml", ".html", ".js", ".ts", ".css", ".proto")
FOREIGN_MATERIAL = ("tests/testdata/", "tests/parity/")


def repository(root):
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=root,
                           check=True, capture_output=True).stdout.decode().split("\0")
    tree = {}
    for name in filter(None, names):
        path = root / name
        if path.is_file() and (name.endswith(TEXT_FILES) or path.suffix == ""):
            tree[name] = path.read_text(encoding="utf-8", errors="replace")
    return tree


def room(path):
    return path[len(SOURCE):].split("/")[0] if path.startswith(SOURCE) else None


def includes(text):
    """(line number, what is included) of a C++ file"""
    for number, line in enumerate(text.splitlines(), 1):
        m = INCLUDE.match(line)
        if m:
            yield number, m.group(1) or m.group(2)


def cxx(tree, prefix=""):
    return {p: t for p, t in tree.items() if p.startswith(prefix) and p.endswith((".cc", ".h"))}


def lines_matching(tree, pattern, wanted, says):
    for path, text in tree.items():
        if wanted(path):
            for number, line in enumerate(text.splitlines(), 1):
                m = pattern.search(line)
                if m:
                    yield f"{path}:{number}: {says}: {m.group(0).strip()}"


def arrows_that_point_up(tree):
    for path, text in cxx(tree, SOURCE).items():
        here = room(path)
        if here not in ROOMS:
            yield f"{path}:1: \"{here}\" is no room of the house: {', '.join(ROOMS)}"
            continue
        for number, name in includes(text):
            if not name.startswith("waybill/"):
                continue
            there = name.split("/")[1]
            if there not in ROOMS:
                yield f"{path}:{number}: \"{there}\" is no room of the house"
            elif ROOMS.index(there) < ROOMS.index(here) or (here, there) in FORBIDDEN_ARROWS:
                yield f"{path}:{number}: {here} may not include {there}"


def impure_decisions(tree):
    for path, text in cxx(tree, SOURCE).items():
        if room(path) in PURE_ROOMS and not path.endswith("_test.cc"):
            for number, name in includes(text):
                if IMPURE.match(name):
                    yield f"{path}:{number}: {room(path)} is pure and may not use {name}"


def heavy_shared_headers(tree):
    """Headers that another folder includes, directly or through one of those, must be cheap."""
    sources = cxx(tree, SOURCE)
    own = {p: [("src/" + n) for _, n in includes(t) if n.startswith("waybill/")] for p, t in sources.items()}
    todo = [there for here, names in own.items() for there in names
            if posixpath.dirname(there) != posixpath.dirname(here)]
    shared = set()
    while todo:
        path = todo.pop()
        if path not in shared:
            shared.add(path)
            todo.extend(own.get(path, []))
    for path in sorted(shared & sources.keys()):
        for number, name in includes(sources[path]):
            if HEAVY.match(name):
                yield f"{path}:{number}: other folders include this header, so it may not include {name}"


def headers_without_guard(tree):
    for path, text in cxx(tree).items():
        if path.endswith(".h") and "#pragma once" not in text:
            yield f"{path}:1: a header needs #pragma once"


def long_files(tree):
    for path, text in tree.items():
        if path.endswith((".cc", ".h", ".py", ".sh", ".ts", ".js")) and not path.startswith(FOREIGN_MATERIAL):
            count = len(text.splitlines())
            if count > MOST_LINES:
                yield f"{path}:1: {count} lines; more than {MOST_LINES} are two ideas"


def sql_outside_storage(tree):
    yield from lines_matching(tree, SQL, lambda p: p.startswith(SOURCE) and p.endswith((".cc", ".h")) and
                              not p.endswith("_test.cc") and not p.startswith(SQL_ROOMS), "SQL outside storage/")


def machine_paths(tree):
    yield from lines_matching(tree, MACHINE, lambda p: not p.startswith(FOREIGN_MATERIAL),
                              "a path of somebody's machine")


def foreign_words(tree):
    yield from lines_matching(tree, FOREIGN, lambda p: not p.startswith(FOREIGN_MATERIAL),
                              "not a word of this product")


def open_ends(tree):
    yield from lines_matching(tree, SKIPPED, lambda p: p.startswith(("src/", "tests/", "bench/")) and
                              p.endswith((".cc", ".h", ".py")), "a skipped test or an open end")


def fixed_sleeps_in_tests(tree):
    yield from lines_matching(tree, SLEEPS, lambda p: p.endswith("_test.cc") or
                              (p.startswith("tests/") and p.endswith((".cc", ".h", ".py")) and
                               not p.startswith(FOREIGN_MATERIAL)),
                              "a fixed sleep in a test; wait for the condition with a deadline")


RULES = [arrows_that_point_up, impure_decisions, heavy_shared_headers, headers_without_guard, long_files,
         sql_outside_storage, machine_paths, foreign_words, open_ends, fixed_sleeps_in_tests]
