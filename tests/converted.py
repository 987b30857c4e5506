#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What convert prints for other programs is what its own lines of JSON say.

    converted.py DWELL

- perfetto: JSON; on every track slices nest, and each that begins ends; a CPU's running tasks, its
  interrupts and the calls of functions are those that jsonl has, to the nanosecond;
- folded: each line is a stack and a figure; the calls, and the time of a graph's outermost calls,
  add up to those of jsonl.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
from decimal import Decimal

import graph_text
import properties
from tap import Tap

TESTS = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(TESTS, "recorded")
SEEDS = 60
CALLS = "function", "graph_entry", "graph_leaf"
SWITCH = re.compile(rb"prev_pid=(\d+) .*==> next_comm=.* next_pid=(\d+) ")


class Dwell:
    def __init__(self, path):
        self.path = path

    def convert(self, text, *options):
        p = subprocess.run([self.path, "convert", "--to", *options, "-"], input=text, timeout=60,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if p.returncode not in (0, 1):
            raise RuntimeError("exit %d: %s" % (p.returncode, p.stderr.decode(errors="replace")))
        return p.stdout

    def perfetto(self, text):
        return json.loads(self.convert(text, "perfetto"), parse_float=Decimal)

    def jsonl(self, text):
        return [json.loads(line) for line in self.convert(text, "jsonl").splitlines()]


def ns(us):
    return int(Decimal(us) * 1000)


# -- The format -------------------------------------------------------------------------------

# Of each phase the keys beside ph, pid and tid, as the Trace Event Format (the document of the
# Trace Viewer that Perfetto imports) has them: what must be, and what may be.
PHASES = {
    "M": ({"name", "args"}, {"ts"}),
    "B": ({"name", "ts"}, {"args"}),
    "E": ({"ts"}, {"args"}),
    "X": ({"name", "ts", "dur"}, {"args"}),
    "i": ({"name", "ts", "s"}, {"args"}),
    "s": ({"name", "ts", "cat", "id"}, {"args"}),
    "f": ({"name", "ts", "cat", "id"}, {"args", "bp"}),
}
METADATA = {"process_name": "name", "thread_name": "name", "process_labels": "labels"}


def is_us(value):
    """Microseconds with at most three decimals, which are exact ns."""
    return type(value) in (int, Decimal) and Decimal(value) * 1000 % 1 == 0


def check_keys(e):
    must, may = PHASES.get(e.get("ph"), (None, None))
    if must is None:
        return "no such phase"
    keys = set(e) - {"ph"}
    if not must | {"pid", "tid"} <= keys or not keys <= must | may | {"pid", "tid"}:
        return "its keys are not those of its phase"
    if any(type(e[k]) is not int or not 0 <= e[k] < 2**32 for k in ("pid", "tid")):
        return "pid or tid is no id"
    if not isinstance(e.get("name", ""), str) or not isinstance(e.get("args", {}), dict):
        return "the name is no string, or the arguments no object"
    if not all(is_us(e[k]) for k in ("ts", "dur") if k in e) or e.get("dur", 0) < 0:
        return "no time"
    if e["ph"] == "i" and e["s"] not in ("g", "p", "t"):
        return "no such scope"
    if e["ph"] == "M" and not isinstance(e["args"].get(METADATA.get(e["name"])), str):
        return "no such metadata"
    return None


def check_flows(events):
    """A flow goes from within a slice to the next that begins (there is no "bp": "e")."""
    slices, ends = collections.defaultdict(list), collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X":
            slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
        elif e["ph"] in "sf":
            ends[e["id"]].append(e)
    for pair in ends.values():
        if [e["ph"] for e in pair] != ["s", "f"] or len({(e["name"], e["cat"]) for e in pair}) > 1:
            return "no pair of flow events: %s" % pair
        begin, end = pair
        if begin["ts"] > end["ts"]:
            return "a flow backwards: %s" % pair
        if not any(s[0] <= begin["ts"] <= s[1] for s in slices[begin["pid"], begin["tid"]]):
            return "a flow from no slice: %s" % begin
        if not any(s[0] == end["ts"] for s in slices[end["pid"], end["tid"]]):
            return "a flow to no slice: %s" % end
    return None


def check_format(document):
    if document.get("displayTimeUnit") not in ("ms", "ns"):
        return "no unit to display"
    events = document["traceEvents"]
    for e in events:
        if check_keys(e):
            return "%s: %s" % (check_keys(e), e)
    named = {(e["pid"], e["tid"]) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    nameless = [e for e in events if e["ph"] in "BX" and (e["pid"], e["tid"]) not in named]
    return "on a track without a name: %s" % nameless[0] if nameless else check_flows(events)


# -- Slices -----------------------------------------------------------------------------------

def check_track(events):
    """None, or which slices of a track do not nest. In the order of time, then of the file."""
    open_slices = []  # ends; None: not known yet
    for e in sorted(events, key=lambda e: e["ts"]):
        while open_slices and open_slices[-1] is not None and open_slices[-1] <= e["ts"]:
            open_slices.pop()
        if e["ph"] == "B":
            open_slices.append(None)
        elif e["ph"] == "X":
            end = e["ts"] + e["dur"]
            if open_slices and open_slices[-1] is not None and end > open_slices[-1]:
                return "overlaps the one before: %s" % e
            open_slices.append(end)
        elif not open_slices or open_slices[-1] is not None:
            return "ends what has not begun, or before what is in it: %s" % e
        else:
            open_slices.pop()
    return "begins and does not end" if None in open_slices else None


def check_nesting(events):
    tracks = collections.defaultdict(list)
    for e in events:
        if e["ph"] in "BEX":
            tracks[e["pid"], e["tid"]].append(e)
    problems = ("track %d: %s" % (tid, check_track(t)) for (_, tid), t in tracks.items()
                if check_track(t))
    return next(problems, None)


def rows(events, name):
    """CPU to the slices on its row of that name, in their order."""
    cpus = {e["tid"]: int(e["args"]["name"].split()[1]) for e in events
            if e["ph"] == "M" and e["name"] == "thread_name"
            and re.fullmatch(r"CPU \d+ " + name, e["args"]["name"])}
    found = collections.defaultdict(list)
    for e in events:
        if e["ph"] in "BEX" and e["tid"] in cpus:
            found[cpus[e["tid"]]].append(e)
    return found


# -- The same figures ----------------------------------------------------------------------------

def runs_of(lines):
    """(cpu, pid, begin, end) of whoever runs from one switch to the next of a CPU."""
    since, found = {}, []
    for e in lines:
        m = SWITCH.search(e.get("text", "").encode()) if e["kind"] == "event" else None
        if e["kind"] == "lost":
            since.pop(e["cpu"], None)
        if not m or e["what"] != "sched_switch":
            continue
        pid, begin = since.get(e["cpu"], (None, None))
        if pid == int(m[1]):
            found.append((e["cpu"], pid, begin, e["t_ns"]))
        since[e["cpu"]] = int(m[2]), e["t_ns"]
    return found


def check_running(events, lines):
    shown = {(cpu, int(e["name"].rsplit("-", 1)[1]), ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]))
             for cpu, slices in rows(events, "running").items() for e in slices}
    missing = [r for r in runs_of(lines) if r not in shown]
    return "not shown: %s" % missing[:3] if missing else None


def check_interrupts(events, lines):
    for row, entry, leave in (("hardirqs", "irq_handler_entry", "irq_handler_exit"),
                              ("softirqs", "softirq_entry", "softirq_exit")):
        shown = rows(events, row)
        for cpu in {e["cpu"] for e in lines if "cpu" in e}:
            began = [e["t_ns"] for e in lines if e.get("cpu") == cpu and e.get("what") == entry]
            got = [ns(e["ts"]) for e in shown[cpu] if e["ph"] == "B" and "irq" in e["args"]
                   or e["ph"] == "B" and "vec" in e["args"]]
            ended = [e["t_ns"] for e in lines if e.get("cpu") == cpu and e.get("what") == leave]
            seen = [ns(e["ts"]) for e in shown[cpu] if e["ph"] == "E" and "args" not in e]
            if began != got or not set(seen) <= set(ended):
                return "%s of CPU %d: %d began, %d shown" % (row, cpu, len(began), len(got))
    return None


def check_calls(events, lines):
    """Every call is shown once, by its line; with a stamp of ns not before its own."""
    by_line = {e["args"]["line"]: e for e in events
               if e["ph"] in "BXi" and "line" in e.get("args", {})}
    for e in lines:
        if e["kind"] not in CALLS or ("t_ns" not in e and e["kind"] == "function"):
            continue
        shown = by_line.get(e["line"])
        if not shown or shown["name"] != e["what"]:
            return "line %d is not shown" % e["line"]
        if "duration_ns" in e and shown["ph"] == "X" and ns(shown["dur"]) != e["duration_ns"]:
            return "line %d took %d ns, not %s us" % (e["line"], e["duration_ns"], shown["dur"])
        if "t_ns" in e and ns(shown["ts"]) < e["t_ns"]:
            return "line %d is shown before its time" % e["line"]
    return None


def check_perfetto(dwell, text):
    document, lines = dwell.perfetto(text), dwell.jsonl(text)
    events = document["traceEvents"]
    return (check_format(document) or check_nesting(events) or check_running(events, lines)
            or check_interrupts(events, lines) or check_calls(events, lines))


# -- Folded ---------------------------------------------------------------------------------------

def folded(dwell, text, weight):
    """The figures; a stack that stands in two captures of the input stands there twice."""
    lines = dwell.convert(text, "folded", "--weight", weight).decode(errors="replace").splitlines()
    return [int(line.rsplit(" ", 1)[1]) for line in lines]


def outermost(lines):
    """The time of a graph's calls that are in no other; None where an end is missing."""
    total, depths = 0, collections.defaultdict(list)
    for e in lines:
        who = e.get("pid"), e.get("cpu")
        if e["kind"] == "graph_entry":
            depths[who].append(e["depth"])
        elif e["kind"] == "graph_exit":
            if not depths[who] or depths[who].pop() != e["depth"]:
                return None
        if e["kind"] in ("graph_exit", "graph_leaf") and not depths[who]:
            total += e.get("duration_ns", 0)
    return None if any(depths.values()) else total


def check_folded(dwell, text):
    lines = [e for e in dwell.jsonl(text) if e["kind"] in CALLS + ("graph_exit",)]
    graph = any(e["kind"] != "function" for e in lines)
    calls = sum(e.get("repeats", 1) for e in lines if e["kind"] in CALLS)
    got = sum(folded(dwell, text, "calls"))
    if got != calls if graph else got > calls:
        return "%d calls are folded, %d were read" % (got, calls)
    time, want = sum(folded(dwell, text, "ns")), outermost(lines)
    if graph and want is not None and time != want:
        return "%d ns are folded, the outermost calls took %d" % (time, want)
    return None


# -- Inputs ---------------------------------------------------------------------------------------

def scheduling(seed):
    """Text of tracepoints on two CPUs, with losses, and what belongs to no slice."""
    rng = random.Random("scheduling %d" % seed)
    tasks = [("swapper/%d", 0), ("a b", 10), ("c-1", 11), ("d=", 12), ("e", 1300000)]
    running, now, lines = [tasks[1], tasks[2]], rng.choice([0, 5923000000, 10**15]), []
    for _ in range(rng.randrange(5, 120)):
        cpu = rng.randrange(2)
        (comm, pid), to = running[cpu], rng.choice(tasks)
        now += rng.randrange(0, 30)
        kind = rng.randrange(9)
        text = [
            "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s "
            "next_pid=%d next_prio=98" % (comm, pid, rng.choice(["S", "R+", "D"]), *to),
            "sched_waking: comm=%s pid=%d prio=120 target_cpu=00%d" % (*to, cpu),
            "sched_wakeup: comm=%s pid=%d prio=120 target_cpu=00%d" % (*to, cpu),
            "irq_handler_entry: irq=%d name=virtio" % (pid % 3),
            "irq_handler_exit: irq=%d ret=handled" % (pid % 3),
            "softirq_raise: vec=1 [action=TIMER]",
            "softirq_entry: vec=1 [action=TIMER]",
            "softirq_exit: vec=1 [action=TIMER]",
            "cpu_idle: state=1 cpu_id=%d" % cpu][kind]
        if rng.random() < 0.03:
            lines.append("CPU:%d [LOST %d EVENTS]" % (cpu, rng.randrange(1, 1000)))
        shown = "<idle>" if pid == 0 else comm
        lines.append("%16s-%-7d [00%d] d..1. %5d.%06d: %s" % (
            shown, pid, cpu, now // 10**6, now % 10**6, text))
        if kind == 0:
            running[cpu] = to
    return ("# tracer: nop\n#\n" + "\n".join(lines) + "\n").encode()


def attempt(check, dwell, text):
    try:
        return check(dwell, text)
    except (RuntimeError, ValueError, KeyError, subprocess.SubprocessError) as e:
        return "%s: %s" % (type(e).__name__, e)


def main():
    dwell, tap = Dwell(sys.argv[1]), Tap()
    for name in sorted(os.listdir(RECORDED)):
        if name.endswith((".txt", ".dat")) and not name.startswith(("lock_stat", "cyclictest")):
            with open(os.path.join(RECORDED, name), "rb") as f:
                text = f.read()
            tap.case(name + ": perfetto", attempt(check_perfetto, dwell, text))
            tap.case(name + ": folded", attempt(check_folded, dwell, text))
    for what, make in (("scheduling", scheduling),
                       ("function graph", lambda seed: graph_text.made_up(seed).encode()),
                       ("latency trace", lambda seed: properties.made_up(seed).encode())):
        for check in check_perfetto, check_folded:
            problems = [(s, attempt(check, dwell, make(s))) for s in range(SEEDS)]
            wrong = ["seed %d: %s" % p for p in problems if p[1]]
            tap.case("%s, made up: %s" % (what, check.__name__), "\n".join(wrong[:5]) or None)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
