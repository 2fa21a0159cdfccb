#!/usr/bin/env python3
"""Compares the template engine with Go's on random templates: run.py COMPARE [--seconds N | --templates N] [--seed N]

COMPARE is the program template_compare (target of that name). Templates are written from a grammar or made from
those of tests/testdata/gotemplate/vectors by changing a few tokens. Needs Go and, once, its module proxy. Prints each
difference; exit status 1 if there is any. --record FILE writes Go's answers there: tests/testdata/gotemplate/random.jsonl
is `run.py COMPARE --templates 1000 --seed 1 --record FILE`, for machines without Go.
"""
import argparse
import json
import pathlib
import random
import re
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parents[1] / "testdata" / "gotemplate" / "vectors"
BATCH = 4000
ORACLE_BYTES = 4 << 30  # of memory, and the most time, for one batch
ORACLE_SECONDS = 300

TOKEN = re.compile(r"""\{\{-?|-?\}\}|"(?:\\.|[^"\\\n])*"|`[^`]*`|'(?:\\.|[^'\\\n])*'|\$?[\w.]+|:=|\s+|.""", re.DOTALL)
# What depends on the clock or on addresses has no answer to compare: dates of anything but ints, and %p.
UNSTABLE = re.compile(r"\bdate\b|%[-+# 0-9.*\[\]]*p")
TWO_TEXT = "trimPrefix trimSuffix contains hasPrefix hasSuffix splitList join".split()
ONE_TEXT = "trim lower upper title b64enc b64dec sha256sum urlPathEscape".split()
ONE_ANY = "empty quote squote toJson toString int print println html js urlquery len not".split()
TWO_ANY = "and or default coalesce eq ne lt le gt ge index print printf".split()
VERBS = list("vdsqxXfFeEgGbcoOtTUw")

DATA = {
    "Job": {"ID": "j-1", "Name": "Ünï çode's \"name\"", "Tags": ["team:a", "", "ſß"], "CreatedAt": 1700000000,
            "IsSync": True, "Context": {"n": 3, "f": 0.1, "m": {"k": [1, "x", None]}, "s": "<a&b>"}},
    "Command": {"i": -7, "u": {"$uint64": "18446744073709551615"}, "f": 1e21, "z": 0.0, "nan": {"$float": "NaN"},
                "s": "a,b;c d", "raw": {"$b64": "Yf9i4oI="}, "null": None, "l": [1, "two", 3.5, True, None, [], {}],
                "m": {"b": 1, "a": {"c": [0, 1, 2]}, "é": "x"}, "t": True, "no": False, "e": ""},
    "Cluster": {"url": "https://h.example.com/a b?c=d&e=é#f", "neg": -0.0, "big": 9007199254740993},
    "Outputs": {"id": "spark-1", "empty": ""},
}
PLACES = [".Job.ID", ".Job.Name", ".Job.Tags", ".Job.CreatedAt", ".Job.IsSync", ".Job.Context", ".Job.Context.n",
          ".Job.Context.m.k", ".Job.Context.s", ".Job.Result", ".Job.ClusterCriteria", ".Command", ".Command.i",
          ".Command.u", ".Command.f", ".Command.z", ".Command.nan", ".Command.s", ".Command.raw", ".Command.null",
          ".Command.l", ".Command.m", ".Command.m.a.c", ".Command.m.é", ".Command.t", ".Command.e", ".Command.nope",
          ".Cluster.url", ".Cluster.neg", ".Cluster.big", ".Outputs", ".Outputs.id", ".Outputs.nope", ".Job"]
LITERALS = ["0", "1", "-3", "2.5", "1e3", "0x1F", "0b11", "1_000", "'a'", "'\\n'", "true", "false", "nil", '""', '"a"',
            '"a,b"', '"%v|%d"', "`r\\w`", '"é世"', '"\\xff"', "100", "1e-7", ".5", "3.", "0x1p-2", '"0x1f"', '"1.0"']


class Writer:
    """Writes templates from a grammar; most make sense."""

    def __init__(self, rng):
        self.rng = rng
        self.variables = ["$"]

    def format(self):
        pick = self.rng.choice
        flags = "".join(self.rng.sample(list("+-# 0"), self.rng.randrange(3)))
        width = pick(["", "", "7", "12", "*", "[1]", "[2]*", "300", "10000019"])
        precision = pick(["", "", ".0", ".3", ".*", ".12", ".", ".[1]"])
        return '"' + pick(["", "a%%", "<"]) + "%" + flags + width + precision + pick(VERBS) + pick(["", "|%v", "%", "é%!"]) + '"'

    def value(self, depth):
        pick = self.rng.choice
        kind = self.rng.random()
        if depth <= 0 or kind < 0.3:
            return pick(PLACES) if self.rng.random() < 0.7 else "$" + pick(PLACES)
        if kind < 0.55:
            return pick(LITERALS)
        if kind < 0.6:
            return pick([".", "$", pick(self.variables), pick(self.variables) + pick([".m", ".x", ".ID"])])
        if kind < 0.95:
            return "(" + self.pipe(depth - 1) + ")" + pick(["", "", "", "", ".a", ".nope"])
        return pick(ONE_ANY + TWO_ANY)

    def command(self, depth):
        pick = self.rng.choice
        value = lambda: self.value(depth - 1)
        kind = self.rng.random()
        if kind < 0.2:
            return pick(ONE_ANY) + " " + value()
        if kind < 0.35:
            return " ".join([pick(TWO_ANY), value(), value()] + [value()] * self.rng.randrange(2))
        if kind < 0.45:
            return pick(TWO_TEXT) + " " + pick(['"a"', '","', '""', value()]) + " " + value()
        if kind < 0.55:
            return pick(ONE_TEXT) + " " + value()
        if kind < 0.7:
            return " ".join(["printf", self.format()] + [value() for _ in range(self.rng.randrange(4))])
        if kind < 0.75:
            return " ".join(["slice", value()] + [pick(["0", "1", "2", "3", "7", value()]) for _ in range(self.rng.randrange(4))])
        if kind < 0.8:
            return pick(["ternary " + value() + " " + value() + " " + value(), "trunc " + pick(["2", "-2", "0", "99", value()]) + " " + value(),
                         'replace "a" ' + pick(['""', '"xx"']) + " " + value(), "dig \"a\" \"c\" 0 " + value(),
                         "get " + value() + ' "a"', "hasKey " + value() + ' "k"',
                         "regexReplaceAll " + pick(['"a|b"', '"[^a-z]*"', "`(\\w)(?P<n>.)?`", '"("', '"x*"', "`\\pL+`"]) + " " + value() + " " + pick(['"<$1>"', '"${n}-"', '"$0$0"', value()]),
                         'date "Mon Jan _2 15:04:05.000 MST 2006 Z07:00 002 pm" ' + pick(["0", ".Job.CreatedAt", "-62135596801", "(int .Command.f)"])])
        return self.value(depth)

    def pipe(self, depth):
        stages = [self.command(depth)]
        while self.rng.random() < 0.25:
            name = self.rng.choice(ONE_ANY + ONE_TEXT + ['default "d"', 'index .Command', 'printf "%v-%s"', "and 1", "or 0", 'join "-"', "eq 1"])
            stages.append(name)
        return self.rng.choice([" | ", "|"]).join(stages)

    def action(self, depth):
        pick = self.rng.choice
        left, right = pick(["{{", "{{", "{{- ", "{{ "]), pick(["}}", "}}", " -}}", " }}"])
        kind = self.rng.random()
        if kind < 0.55 or depth <= 0:
            return left + self.pipe(2) + right
        if kind < 0.65:
            name = pick(["$x", "$y", "$é"])
            sign = ":=" if name not in self.variables or self.rng.random() < 0.6 else "="
            text = left + name + " " + sign + " " + self.pipe(2) + right
            self.variables.append(name)
            return text
        mark = len(self.variables)
        if kind < 0.85:
            word = pick(["if", "if", "with"])
            text = left + word + " " + self.pipe(2) + right + self.body(depth)
            if self.rng.random() < 0.3:
                text += "{{else " + word + " " + self.pipe(1) + "}}" + self.body(depth)
            if self.rng.random() < 0.5:
                text += "{{else}}" + self.body(depth)
        elif kind < 0.95:
            names = pick([[], [], ["$x"], ["$i", "$x"]])
            head = ", ".join(names) + " := " if names else ""
            self.variables += names
            over = pick([".Command.l", ".Command.m", ".Job.Tags", "3", ".Job.Context.m.k", ".Outputs", self.value(1)])
            text = left + "range " + head + over + right + self.body(depth) + pick(["", "{{break}}", "{{continue}}x", "{{if .}}{{break}}{{end}}"])
            if self.rng.random() < 0.4:
                text += "{{else}}" + self.body(depth)
        else:
            text = left + pick(['block "b" ' + self.value(1), 'define "d"']) + right + self.body(depth)
            if self.rng.random() < 0.5:
                return text + "{{end}}" + pick(['{{template "d" .}}', '{{template "b"}}', ""])
        del self.variables[mark:]
        return text + left + "end" + right

    def body(self, depth):
        return "".join(self.action(depth - 1) if self.rng.random() < 0.6 else self.rng.choice(["", "x", " ", "\n", "é ", "}", "{"])
                       for _ in range(self.rng.randrange(1, 4)))


def changed(rng, template, tokens):
    """A template with a few tokens changed."""
    parts = TOKEN.findall(template)
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(parts) + 1)
        what = rng.random()
        if what < 0.3 and parts:
            del parts[at:at + 1]
        elif what < 0.6:
            parts.insert(at, rng.choice(tokens))
        elif parts:
            parts[at:at + 1] = [rng.choice(tokens)]
    return "".join(parts)


def known_vectors():
    vectors = [json.loads(line) for path in sorted(VECTORS.glob("*.jsonl")) for line in path.open()]
    return [v for v in vectors if isinstance(v["template"], str)]


def named(data, template):
    """Of the data, the spaces that a template names."""
    return {space: data[space] for space in data if space in template}


def batch(rng, known, tokens, size=BATCH):
    lines = []
    while len(lines) < size:
        if rng.random() < 0.5:
            template = Writer(rng).body(3)
            data = named(DATA, template) if rng.random() < 0.5 else DATA
        else:
            vector = rng.choice(known)
            template, data = changed(rng, vector["template"], tokens), vector["data"]
            if UNSTABLE.search(template):
                continue
        lines.append(json.dumps({"name": f"{len(lines)}", "template": template, "data": data}, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def build_oracle(folder):
    """The program that answers as Go does."""
    oracle = pathlib.Path(folder) / "oracle"
    subprocess.run(["go", "build", "-o", oracle, "."], cwd=HERE, check=True)
    return oracle


def bounded():
    resource.setrlimit(resource.RLIMIT_AS, (ORACLE_BYTES, ORACLE_BYTES))


def go_answers(oracle, vectors):
    """Go's answers. It has no limits: a template that takes all memory or has no end is left out."""
    try:
        done = subprocess.run([oracle], input=vectors.encode("utf-8", "surrogatepass"), stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, preexec_fn=bounded, timeout=ORACLE_SECONDS)
        if done.returncode == 0:
            return done.stdout
    except subprocess.TimeoutExpired:
        pass
    lines = [line + "\n" for line in vectors.split("\n") if line]
    if len(lines) == 1:
        print(f"left out, as Go comes to no end with it: {lines[0][:400].strip()}", flush=True)
        return b""
    half = len(lines) // 2
    return go_answers(oracle, "".join(lines[:half])) + go_answers(oracle, "".join(lines[half:]))


def differences(compare, answers):
    """What COMPARE says of Go's answers; empty if they are ours too."""
    result = subprocess.run([compare], input=answers, stdout=subprocess.PIPE)
    if result.returncode not in (0, 1):
        return f"{compare} ended with {result.returncode}\n".encode() + result.stdout
    return b"\n".join(line[:4000] for line in result.stdout.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compare")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--templates", type=int, help="compare so many instead, however long it takes")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--record", type=pathlib.Path, help="write Go's answers to this file")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    known = known_vectors()
    tokens = sorted({token for v in known for token in TOKEN.findall(v["template"])})
    compared, recorded = 0, []
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        oracle = build_oracle(folder)
        end = time.monotonic() + options.seconds
        while compared < options.templates if options.templates else time.monotonic() < end:
            size = min(BATCH, options.templates - compared) if options.templates else BATCH
            answers = go_answers(oracle, batch(rng, known, tokens, size))
            if options.record:
                recorded.append(answers)
            compared += answers.count(b"\n")
            found = differences(options.compare, answers)
            if found:
                sys.stdout.buffer.write(found + f"\ndifferences after {compared} templates\n".encode())
                return 1
    if options.record:
        options.record.write_bytes(b"".join(recorded))
    print(f"{compared} templates, no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
