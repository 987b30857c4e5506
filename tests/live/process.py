#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell record locks on a program whose processes change what they may do, and start others in every
way there is (process.c): it runs as it does without, and what was counted is there; what could not
be is said.

    process.py DWELL PROCESS
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.dirname(HERE))
from locks import compiled, Recorder, rows_of, TIMEOUT_S  # noqa: E402
from tap import Tap  # noqa: E402

SELF, CHILD = 8, 7
# Case: processes that were counted, acquisitions of `taken` in all of them, processes that could not
# be counted.
CASES = {
    "fork": (2, SELF + CHILD, 0),
    "fork-late": (2, SELF + CHILD, 0),
    "fork-together": (21, SELF + 20 * 2 * CHILD, 0),
    "close": (2, SELF + CHILD, 0),
    "chroot": (1, SELF, 1),
    "user": (1, SELF, 1),
    "memlock": (1, SELF, 0),
    "files": (1, SELF, 1),
    "size": (1, SELF, 1),
    "daemon": (2, SELF + CHILD, 0),  # the one between them takes no lock
    "vfork": (2, 2 * SELF, 0),
    "vfork-sealed": (3, 2 * SELF + CHILD, 0),  # and what it becomes is not
    "clearenv": (2, SELF + CHILD, 0),
    "spawn": (2, 2 * SELF, 0),
    "environment": (1, SELF, 0),
    "clone": (1, SELF + CHILD, 0),
    "clone3": (2, SELF + CHILD, 0),
    "ends": (5, SELF + 4 * CHILD, 0),
}
ROOT_ONLY = ("chroot", "user")
IS_LOST = "process is missing: unable"


def run(command):
    p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def check_case(recorder, process, name):
    bare = run([process, name])
    if bare != (0, "", ""):
        return "without dwell: %s" % (bare,)
    status, out, errors, capture = recorder.run([process, name])
    if status or errors or not capture:
        return "exit %d: %s" % (status, errors)
    facts = capture["run"]
    found = (facts["processes"], rows_of(capture)["taken"]["acquisitions"], facts["processes_lost"])
    wrong = [] if found == CASES[name] else ["%s, not %s" % (found, CASES[name])]
    if (IS_LOST in " ".join(out.split())) != bool(CASES[name][2]):
        wrong.append(out)
    return "\n".join(wrong) or None


def check_times(recorder, process):
    """How long each process ran is known of those that exit, and of the first; not of those that
    are killed. A child has its parent's time at most."""
    wrong = []
    for name, known in ("fork", [True, True]), ("ends", [True] + 4 * [False]):
        _, _, errors, _ = recorder.run([process, name], "--split")
        with open(recorder.json, encoding="utf-8") as f:
            ran = [t["run"]["ns"] for t in json.load(f)]
        if [ns is not None for ns in ran] != known or not all(0 < (ns or 1) <= ran[0] for ns in ran):
            wrong.append("%s: %s%s" % (name, ran, errors))
    return "\n".join(wrong) or None


def check_runs_on(recorder, process):
    """Of two that were left behind one is over. What it called itself is not the terminal's."""
    _, out, errors, capture = recorder.run([process, "runs-on"])
    facts = capture["run"]
    wrong = [] if (facts["processes"], facts["still_running"]) == (3, 1) else ["%s%s" % (facts, errors)]
    _, out, _, _ = recorder.run([process, "runs-on"], "--split")
    return "\n".join(wrong) or (None if "a?[31m?b (process " in out else out)


STRANGE = """
#include <stdlib.h>
#include <string.h>
int main(void)
{
	const char *loads = getenv("LD_PRELOAD");
	return loads && strcmp(loads, "libm.so.6") ? 1 : 0;
}
"""


def check_strange(recorder, process, program):
    """What the program starts runs as it does without us, also if we cannot be loaded into it."""
    wrong = []
    for others in [], ["env", "LD_PRELOAD=libm.so.6"]:
        status, out, errors = run(others + recorder.command([process, "strange", program]))
        facts = recorder.capture()["run"]
        if status or out or (facts["processes"], facts["processes_lost"]) != (1, 9):
            wrong.append("%s: exit %d: %s%s%s" % (others, status, out, errors, facts))
    return "\n".join(wrong) or None


def with_small_memory(options, command):
    """A command in whose /dev/shm little has room."""
    return ["unshare", "-m", "sh", "-c",
            "mount -t tmpfs -o %s none /dev/shm && exec \"$@\"" % options, "sh"] + command


def check_full(recorder, process):
    """There is no memory for counts: said, and the program runs as it does."""
    status, out, errors = run(with_small_memory("size=4k", recorder.command([process, "fork"])))
    good = status == 0 and "are missing" in errors and "is full" in errors
    return None if good else "exit %d: %s%s" % (status, out, errors)


def check_nearly_full(recorder, process):
    """Room for the first process alone."""
    status, out, errors = run(with_small_memory("size=28k", recorder.command([process, "fork"])))
    good = status == 0 and "is full" in errors and \
        rows_of(recorder.capture())["taken"]["acquisitions"] == SELF
    return None if good else "exit %d: %s%s" % (status, out, errors)


def check_first_page(recorder, process):
    """Room for the child's file, but for few of its records."""
    status, out, errors = run(with_small_memory("size=1200k", recorder.command([process, "fork-late"])))
    taken = rows_of(recorder.capture())["taken"]["acquisitions"]
    good = status == 0 and "had no room in the table" in " ".join(errors.split()) and taken > SELF
    return None if good else "exit %d, %d acquisitions: %s%s" % (status, taken, out, errors)


def check_unread(recorder, process):
    """Nobody reads the report: who writes it ends by SIGPIPE, and leaves no files behind."""
    command = recorder.command([process, "fork"])
    status, out, errors = run(with_small_memory(
        "size=10m", ["sh", "-c", '"$@" 2>&1 | : ; ls /dev/shm', "sh"] + command))
    return None if (status, out, errors) == (0, "", "") else "exit %d: %s%s" % (status, out, errors)


def main():
    dwell, process = (os.path.abspath(p) for p in sys.argv[1:3])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(dwell, folder)
        for name in CASES:
            if name in ROOT_ONLY and os.geteuid():
                tap.skip(name, "needs root")
            else:
                tap.case(name, check_case(recorder, process, name))
        tap.case("run times", check_times(recorder, process))
        tap.case("runs on", check_runs_on(recorder, process))
        strange = compiled(folder, "strange", STRANGE, "-fsanitize=thread")
        if not strange or run([process, "strange", strange])[0]:
            tap.skip("strange programs", "no ThreadSanitizer that works here")
        else:
            tap.case("strange programs", check_strange(recorder, process, strange))
        may_mount = shutil.which("unshare") and not run(with_small_memory("size=100k", ["true"]))[0]
        for name, check in (("no memory", check_full), ("memory for one", check_nearly_full),
                            ("memory for few records", check_first_page),
                            ("nobody reads", check_unread)):
            if not may_mount:
                tap.skip(name, "needs a mount namespace")
            elif name.startswith("memory") and os.sysconf("SC_PAGESIZE") != 4096:
                tap.skip(name, "the sizes are for pages of 4 KB")
            else:
                tap.case(name, check(recorder, process))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
