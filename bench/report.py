"""The table and the JSON of a bench run."""
import json
import os
import pathlib
import platform
import time


class Report:
    def __init__(self, folder):
        self.folder, self.lines, self.began = pathlib.Path(folder), [], time.time()

    def add(self, what, figure, unit, against=None, against_what="", ratio=None, goal=None, at_least=True, **more):
        """One figure beside what it is compared with. `ratio`: figure/against unless given; `goal`: what it should be
        at least (or at most)."""
        if ratio is None and against:
            ratio = figure / against
        met = None if goal is None or ratio is None else (ratio >= goal if at_least else ratio <= goal)
        line = {"what": what, "figure": figure, "unit": unit, "against": against, "against_what": against_what,
                "ratio": ratio, "goal": goal, "at_least": at_least, "met": met, **more}
        self.lines.append(line)
        print(self.row(line), flush=True)

    @staticmethod
    def row(line):
        number = lambda v: "" if v is None else (f"{v:,.0f}" if abs(v) >= 100 else f"{v:,.2f}")
        goal = "" if line["goal"] is None else f"{'>=' if line['at_least'] else '<='} {line['goal']:g}"
        met = {None: "", True: "met", False: "MISSED"}[line["met"]]
        tail = "  ".join(f"{k} {number(v)}" for k, v in line.items() if k in ("p50_ms", "p99_ms"))
        return (f"{line['what']:<48} {number(line['figure']):>10} {line['unit']:<6} {line['against_what']:<26} "
                f"{number(line['against']):>10}  {number(line['ratio']):>7} {goal:>7} {met:<6} {tail}").rstrip()

    @staticmethod
    def head():
        print(f"{'what':<48} {'figure':>10} {'unit':<6} {'compared with':<26} {'its figure':>10}  {'ratio':>7} {'goal':>7}")

    def write(self, name):
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps({"began": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.began)),
                                    "seconds": round(time.time() - self.began, 1), "machine": platform.processor() or
                                    platform.machine(), "cores": os.cpu_count(), "lines": self.lines},
                                   indent=1) + "\n")
        print(f"written to {path}")
