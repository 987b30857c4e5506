#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Wake-up latencies and run-queue waits, as dwell and perf sched see them in one recording made here.

    sched_latency.py DWELL

A judge of few lines computes both from the text of the events, and what dwell says must be that:
counts, totals and maxima exactly, percentiles to the 0.8 % of the histogram. perf sched timehist
prints a delay for each time that a task ran. Four differences are known, and no other may come up:

- a task that is woken before it has left its CPU waits from the switch that takes it off. timehist
  forgets the wake-up at the switch and prints 0;
- of a task that is woken twice before it runs, it takes the first time, which found it awake still
  (or a switch is missing), and dwell the last;
- it cuts to microseconds;
- where the recording has no switch that brings a woken task in, timehist takes the next one after
  that instead, and dwell counts the wake-up as of unknown length.

perf sched latency has wake-ups and run-queue waits in one, and loses track where a switch is missing
("context switch bugs"): its longest is printed beside ours. (That needs root and perf.)
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402

LOAD = """perf bench sched messaging -g 1 -l 60 & sleep 0.01; chrt -f 10 sleep 0.01
for i in 1 2 3 4 5; do sleep 0.01; done; wait"""
LINE = re.compile(r"^ *.*? +-?\d+/(-?\d+) +\[(\d+)\] +(\d+)\.(\d{9}): +sched:(\w+): (.*)$")
SWITCH = re.compile(r"prev_pid=(\d+) .* prev_state=(\S+) ==> .* next_pid=(\d+) ")
WOKEN = re.compile(r" pid=(\d+) .*target_cpu=(\d+)")
MIGRATED = re.compile(r" pid=(\d+) .*dest_cpu=(\d+)")
RAN = re.compile(r"^ *(\d+)\.(\d{6}) \[\d+\]  .*\[(\d+)(?:/\d+)?\] +[\d.]+ +(\d+)\.(\d{3}) +[\d.]+")
LONGEST = re.compile(r"\| max: *([\d.]+) ms")
LEAST = 300 # wake-ups; fewer are no test


class Wait:
    def __init__(self, kind, start, armed=False):
        self.kind, self.start, self.armed = kind, start, armed
        self.first = start
        self.known = True # its CPU had events before: else its end may have been missed
        self.ns = None


class Judge:
    """The rules of man dwell-explain, WHOLE TRACES, for wake-ups and run-queue waits."""

    def __init__(self, text):
        self.begun, self.runs, self.on = set(), {}, {} # CPUs; CPU to task; task to CPU
        self.leaving = {} # CPU to the task that a switch has taken off
        self.waits, self.armed = {}, set()
        self.missing = 0 # switches that the recorder has left out
        self.latest = {}  # of a task that runs: the wait before
        self.before = {}  # (task, us at which it was switched out): the wait before it ran
        self.done = []
        for line in text.splitlines():
            m = LINE.match(line)
            if m:
                time = int(m[3]) * 10**9 + int(m[4])
                self.ran(int(m[1]), int(m[2]))
                self.event(int(m[2]), time, m[5], m[6])

    def ran(self, task, cpu):
        """An event is printed with it, so it runs there: unless it is the one that just left."""
        known = self.runs.get(cpu)
        if task < 0 or task == known or known is not None and task == self.leaving.get(cpu):
            return
        self.leaving.pop(cpu, None)
        self.missing += known is not None
        self.runs[cpu] = task
        self.on[task] = cpu
        self.waits.pop(task, None)

    def place(self, task, cpu):
        wait = self.waits.get(task)
        if wait and cpu not in self.begun:
            wait.known = False

    def event(self, cpu, time, name, text):
        self.begun.add(cpu)
        if name in ("sched_waking", "sched_wakeup_new"):
            m = WOKEN.search(text)
            self.woken(int(m[1]), int(m[2]), time, name == "sched_waking")
        elif name == "sched_migrate_task":
            m = MIGRATED.search(text)
            self.place(int(m[1]), int(m[2]))
        elif name == "sched_switch":
            m = SWITCH.search(text)
            self.switched_out(int(m[1]), m[2], cpu, time)
            self.switched_in(int(m[3]), cpu, time)

    def woken(self, task, cpu, time, waking):
        if task in self.waits and self.waits[task].kind == "runq":
            return
        runs = task in self.on and self.runs.get(self.on[task]) == task
        if runs and waking:
            self.armed.add(task)
        elif not runs:
            before = self.waits.get(task)
            self.waits[task] = Wait("wakeup", time)
            if before:
                self.waits[task].first = before.first
            self.place(task, cpu)

    def switched_out(self, task, state, cpu, time):
        self.leaving[cpu] = task
        self.waits.pop(task, None)
        if not task:
            return
        self.on.pop(task, None)
        if task in self.latest:
            self.before[task, time // 1000] = self.latest.pop(task)
        armed = task in self.armed
        self.armed.discard(task)
        if state.startswith("R"):
            self.waits[task] = Wait("runq", time)
            self.place(task, cpu)
        elif armed:
            self.waits[task] = Wait("wakeup", time, True)
            self.place(task, cpu)

    def switched_in(self, task, cpu, time):
        self.runs[cpu] = task
        if self.leaving.get(cpu) == task:
            del self.leaving[cpu]
        if not task:
            return
        self.on[task] = cpu
        self.latest.pop(task, None)
        wait = self.waits.pop(task, None)
        if wait:
            wait.ns = time - wait.start
            self.latest[task] = wait
            self.done.append(wait)

    def of(self, kind):
        return sorted(w.ns for w in self.done if w.kind == kind and w.known)


def run(*command):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=True).stdout.decode("utf-8", "replace")


def record(folder):
    """The text of the events, timehist's and latency's."""
    data = os.path.join(folder, "perf.data")
    run("perf", "sched", "record", "-m", "4M", "-o", data, "--", "sh", "-c", LOAD)
    text = os.path.join(folder, "events.txt")
    with open(text, "w", encoding="utf-8") as f:
        f.write(run("perf", "script", "-i", data, "--ns", "-F",
                    "comm,pid,tid,cpu,time,event,trace"))
    return text, run("perf", "sched", "timehist", "-i", data), run("perf", "sched", "latency",
                                                                   "-i", data)


def sections(dwell, text):
    report = json.loads(run(dwell, "explain", "-f", "json", "-k", "wakeup,runq", text))[0]
    found = [s for s in report["sections"] if s["key"] == "sections"]
    return {row["name"]: row for row in found[0]["tables"][0]["rows"]}


def compare_dwell(tap, kind, row, want):
    """dwell's row of the kind with what the judge found, sorted."""
    wrong = []
    for key, value in ("count", len(want)), ("total_ns", sum(want)), ("max_ns", want[-1]):
        if row[key] != value:
            wrong.append("%s: dwell %s, the judge %s" % (key, row[key], value))
    for key, parts, of in ("p50_ns", 50, 100), ("p99_ns", 99, 100), ("p999_ns", 999, 1000):
        exact = want[-(-len(want) * parts // of) - 1]
        if row[key] is not None and abs(row[key] - exact) > 0.008 * exact + 1:
            wrong.append("%s: dwell %s, the judge %s" % (key, row[key], exact))
    tap.case("%s by dwell is what the events say" % kind, "\n".join(wrong) or None)
    tap.note("%s: %d, %d ns in all, p50 %s, p99 %s, longest %d" % (
        kind, row["count"], row["total_ns"], row["p50_ns"], row["p99_ns"], row["max_ns"]))


def is_cut(us, ns):
    """Is it that many ns, cut somewhere on the way?"""
    return ns // 1000 - 1 <= us <= ns // 1000 + 1


def compare_timehist(tap, judge, text):
    count, wrong = collections.Counter(), []
    for line in text.splitlines():
        m = RAN.match(line)
        if not m:
            continue
        us = int(m[4]) * 1000 + int(m[5])
        wait = judge.before.get((int(m[3]), int(m[1]) * 10**6 + int(m[2])))
        if not wait or wait.kind != "wakeup":
            count["of a switch that is missing"] += us > 0
        elif wait.armed and not us:
            count["woken before they left"] += 1
        elif is_cut(us, wait.ns):
            count["equal"] += 1
        elif wait.first < wait.start and is_cut(us, wait.ns + wait.start - wait.first):
            count["woken twice"] += 1
        else:
            wrong.append("%s: timehist %d us, the judge %d ns" % (line.strip(), us, wait.ns))
    tap.case("perf sched timehist differs where it is known why", "\n".join(wrong[:9]) or None)
    tap.note("timehist: " + ", ".join("%d %s" % (n, k) for k, n in count.most_common()))
    some = count["equal"] >= LEAST and count["of a switch that is missing"] <= count["equal"] // 20
    tap.case("most wake-ups are the same in both", None if some else str(count))


def note_latency(tap, judge, text):
    longest = max(float(ms) for ms in LONGEST.findall(text))
    ours = max(w.ns for w in judge.done if not w.armed) / 10**6
    bugs = " ".join(line.strip() for line in text.splitlines() if "bugs" in line)
    tap.note("longest by perf sched latency %.3f ms, by the events %.3f ms; %d switches are missing; "
             "perf says: %s" % (longest, ours, judge.missing, bugs or "nothing"))


def main():
    dwell = os.path.abspath(sys.argv[1])
    tap = Tap()
    if os.geteuid() or not shutil.which("perf"):
        tap.skip("wake-ups", "no perf, or not root")
        return tap.finish()
    with tempfile.TemporaryDirectory() as folder:
        try:
            text, timehist, latency = record(folder)
        except subprocess.CalledProcessError as e:
            tap.skip("wake-ups", "cannot record: %s" % e)
            return tap.finish()
        with open(text, encoding="utf-8") as f:
            judge = Judge(f.read())
        rows = sections(dwell, text)
    wakeups, waits = judge.of("wakeup"), judge.of("runq")
    if len(wakeups) < LEAST or not waits:
        tap.skip("wake-ups", "too few were recorded")
        return tap.finish()
    compare_dwell(tap, "wake-up latency", rows["wake-up latency"], wakeups)
    compare_dwell(tap, "run-queue wait", rows["run-queue wait"], waits)
    compare_timehist(tap, judge, timehist)
    note_latency(tap, judge, latency)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
