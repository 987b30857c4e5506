#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell record locks beside perf trace -e futex, which looks at the same run of the same program: the
waits of its mutexes agree.

    futexes.py DWELL KNOWN

A mutex of the C library waits by FUTEX_WAIT with the value 2 (nptl/lowlevellock.c). Every such system
call lies within one wait that dwell counts, so that dwell's sum is never less than perf's, but for the
calibration of the TSC (0.1 %, of 20 ms at least to some 100 ns). It is more by what lies between the
two: to enter and leave the kernel with perf looking, measured as 15 to 25 us, and, when the CPU is busy,
the time for which a thread that was woken does not run. The first is bounded here (EACH_US); the
second has no bound, and so the sums may differ in one run, but not in five in a row. Waits that end
before the system call are dwell's alone: these programs hold their lock for long.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
from locks import Recorder, TIMEOUT_S  # noqa: E402
from tap import Tap  # noqa: E402

CALIBRATION = 0.001
EACH_US = 50
TRIES = 5

CALL = re.compile(r"\s*[\d.]+ \(\s*(?:([\d.]+) ms)?\s*\): .*/(\d+) (.*)")
WAIT = "op: WAIT|PRIVATE_FLAG, val: 2)"


def waits_of(path):
    """How many system calls waited for a mutex, and how long in us: "futex(...) ..." where one is
    entered while others run, and its time with "[continued]" where it ends."""
    call, waits = {}, []
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = CALL.match(line)
            if not m:
                continue
            time, tid, text = m.groups()
            if "[continued]" not in text:
                call[tid] = text
            if time and WAIT in call.get(tid, ""):
                waits.append(1000 * float(time))
    return len(waits), sum(waits)


def perf(path, command):
    return subprocess.run(["perf", "trace", "--sort-events", "-e", "futex", "-o", path, "--"] + command, check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT_S)


def compare(tap, recorder, path, command):
    """None, or how they disagree."""
    p = perf(path, recorder.command(command, "--hold", "none"))
    capture = recorder.capture()
    if p.returncode or not capture:
        return "exit %d: %s" % (p.returncode, p.stderr.decode())
    mutexes = [r for r in capture["classes"] if r["type"] == "mutex"]
    counted = sum(r["contentions"] for r in mutexes)
    dwell = sum(r["wait_total"] for r in mutexes)
    calls, seen = waits_of(path)
    said = "dwell: %d waits, %.1f us; perf trace: %d system calls, %.1f us" % (counted, dwell, calls,
                                                                               seen)
    most = seen * (1 + CALIBRATION) + EACH_US * max(calls, counted)
    if calls and seen * (1 - CALIBRATION) <= dwell <= most:
        tap.note(said)
        return None
    return said


def main():
    dwell, known = (os.path.abspath(p) for p in sys.argv[1:3])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "perf.txt")
        recorder = Recorder(dwell, folder)
        why = None
        if not shutil.which("perf"):
            why = "perf is not installed"
        elif perf(path, ["true"]).returncode:
            why = "perf trace needs the right to trace system calls"
        for command in [known, "mutex"], [known, "contend"]:
            name = "waits of '%s' beside perf trace" % command[1]
            if why:
                tap.skip(name, why)
                continue
            wrong = []
            while len(wrong) < TRIES and (said := compare(tap, recorder, path, command)):
                wrong.append(said)
            tap.case(name, "\n".join(wrong) if len(wrong) == TRIES else None)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
