#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Compares the text of events with what this machine's kernel prints, of the same ring buffers.

    print_format.py DWELL

Events of many kinds are recorded into a tracefs instance of our own. Its `trace` is what the kernel
prints; trace-cmd writes the same buffers out as a trace.dat, which dwell prints. Two things may
differ, and are counted: a number where the kernel has a name that is not in the file, and raw fields
where the format needs what is not in it. (That needs root, tracefs and trace-cmd.)
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402

INSTANCES = "/sys/kernel/tracing/instances"
# System calls are left out: the kernel prints them by code of its own.
SYSTEMS = ["block", "csd", "exceptions", "fib", "filelock", "ipi", "irq", "irq_vectors", "maple_tree",
           "msr", "napi", "power", "sched", "signal", "skb", "sock", "task", "tcp", "timer", "tlb",
           "vmalloc", "workqueue", "writeback", "x86_fpu"]
LOAD = """read begin; ls / | cat; sync
python3 -c 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.socket(); c.connect(s.getsockname()); c.send(b"x" * 5000)'
timeout -s USR1 0.05 sleep 1; true"""
LINE = re.compile(r"^ *.*?-\d+ +\[(\d+)\] [^ ]+ +\d+\.\d+: ([^ :]+): ?(.*)$")
NUMBER = re.compile(r"0x[0-9a-f]+$")
TYPES_LEAST, EVENTS_LEAST = 20, 500


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def record(folder):
    """(text of the kernel, trace.dat) of the same buffers; OSError: cannot be had here."""
    name = "dwell-test-%d" % os.getpid()
    instance = os.path.join(INSTANCES, name)
    dat = os.path.join(folder, "events.dat")
    os.mkdir(instance)
    try:
        write(instance + "/buffer_size_kb", "1000")
        write(instance + "/options/overwrite", "0") # the text and the file begin alike
        write(instance + "/options/hash-ptr", "0")
        write(instance + "/options/event-fork", "1")
        load = subprocess.Popen(["sh", "-c", LOAD], stdin=subprocess.PIPE,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        write(instance + "/set_event_pid", str(load.pid)) # not what others do meanwhile
        for system in SYSTEMS:
            enable = "%s/events/%s/enable" % (instance, system)
            if os.path.exists(enable):
                write(enable, "1")
        load.communicate(b"begin\n")
        write(instance + "/tracing_on", "0")
        with open(instance + "/trace", encoding="utf-8", errors="replace") as f:
            text = f.read()
        p = subprocess.run(["trace-cmd", "extract", "-B", name, "-o", dat],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if p.returncode:
            raise OSError("trace-cmd: " + p.stderr.decode(errors="replace").strip()[:100])
        return text, dat
    finally:
        if os.path.isdir(instance):  # trace-cmd may have removed it
            os.rmdir(instance)


def events(text):
    """(name, text) of each, by CPU."""
    found = collections.defaultdict(list)
    for line in text.split("\n"):
        m = LINE.match(line)
        if m:
            found[int(m[1])].append((m[2], m[3].rstrip()))
    return found


def unnamed(ours, theirs):
    """Do they differ alone in numbers, 0x4 or A|0x4, that the kernel has names for?"""
    a, b = re.split(r"([ ,=:])", ours), re.split(r"([ ,=:])", theirs)
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        *names, last = x.split("|")
        if x != y and not (NUMBER.match(last) and names == y.split("|")[:len(names)]):
            return False
    return True


def compare(tap, kernel, ours):
    types = collections.defaultdict(collections.Counter)
    problems = []
    for cpu in kernel:
        for (name, theirs), (name2, text) in zip(kernel[cpu], ours[cpu]):
            kind = ("same" if text == theirs else "fields" if text.startswith("[fields]") else
                    "numbers" if unnamed(text, theirs) else "wrong")
            types[name][kind] += 1
            if name != name2 or (kind == "wrong" and types[name][kind] == 1):
                problems.append("%s: %s\n%s: %s" % (name, theirs, name2, text))
    count = sum(sum(t.values()) for t in types.values())
    tap.note("%d events of %d types: %d types as the kernel prints them, %d with numbers for names, "
             "%d as fields" % (count, len(types), sum(t["same"] == sum(t.values())
                                                      for t in types.values()),
                               sum(t["numbers"] > 0 for t in types.values()),
                               sum(t["fields"] > 0 for t in types.values())))
    tap.case("there are events to compare", None if len(types) >= TYPES_LEAST and
             count >= EVENTS_LEAST else "%d events of %d types" % (count, len(types)))
    tap.case("as many events on each CPU", None if all(
        len(kernel[c]) == len(ours[c]) for c in kernel) else "kernel: %s, dwell: %s" % (
            {c: len(e) for c, e in kernel.items()}, {c: len(e) for c, e in ours.items()}))
    tap.case("texts of events", "\n".join(problems[:5]) or None)


def main():
    dwell = os.path.abspath(sys.argv[1])
    tap = Tap()
    if not shutil.which("trace-cmd"):
        tap.skip("texts of events", "no trace-cmd")
        return tap.finish()
    with tempfile.TemporaryDirectory(prefix="dwell-test-") as folder:
        try:
            kernel, dat = record(folder)
        except OSError as e:
            tap.skip("texts of events", "cannot record: %s" % e)
            return tap.finish()
        ours = subprocess.run([dwell, "convert", "--to", "trace", dat], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False).stdout
    compare(tap, events(kernel), events(ours.decode("utf-8", "replace")))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
