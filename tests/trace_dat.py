#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads files of trace-cmd with dwell and with trace-cmd, and compares them event by event.

    trace_dat.py DWELL

The files are those of tests/recorded, and of $DWELL_RECORDED, by default ../shared/recorded beside
the source tree. Of each event the time, the CPU, the task, the name, and the text are compared; and
dwell's reading of the text that trace-cmd prints is compared with that text. Files that were cut short are held against the whole one, or, where there is
none, against a copy that is mended so that trace-cmd can open it.
"""
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from tap import Tap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINE = re.compile(r"^ *(.*)-(\d+) +\[(\d+)\] *(\d+)\.(\d{9}): ([^:]+): *(.*)$")
DROPPED = re.compile(r"^CPU:(\d+) \[(?:(\d+) )?EVENTS DROPPED\]$")
# libtraceevent prints %p as glibc does, the kernel with all the digits.
POINTER = re.compile(r"\b0x([0-9a-f]{16})\b")


def from_text(text):
    """(time, cpu, comm, pid, name, text) of what `trace-cmd report -t` prints."""
    events = []
    for line in text.decode("utf-8", "replace").split("\n"):
        m = DROPPED.match(line)
        if m:
            events.append(("lost", int(m[1]), int(m[2]) if m[2] else None))
        m = LINE.match(line)
        if m:
            events.append((int(m[4]) * 10**9 + int(m[5]), int(m[3]), m[1].strip(), int(m[2]), m[6],
                           POINTER.sub(r"\1", m[7].replace("(nil)", "0" * 16)).rstrip()))
    return events


def report(path):
    """What trace-cmd prints by the file's own formats (-N: not by its plugins), ns and all."""
    return subprocess.run(["trace-cmd", "report", "-t", "-N", path], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False).stdout


def from_dwell(dwell, path, text=None):
    """The same by dwell, of a file or of a text."""
    p = subprocess.run([dwell, "convert", "--to", "jsonl", path], input=text,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if p.returncode:
        raise ValueError("dwell: exit %d: %s" % (p.returncode, p.stderr.decode()))
    events = []
    for line in p.stdout.decode("utf-8", "replace").splitlines():
        e = json.loads(line)
        if e["kind"] == "lost":
            events.append(("lost", e["cpu"], e["lost"]))
        elif e["kind"] != "capture":
            events.append((e["t_ns"], e["cpu"], e["comm"], e["pid"], e["what"],
                           POINTER.sub(r"\1", e["text"]).rstrip()))
    return events


def same_comm(a, b):
    """trace-cmd learns names from the events, too: "<...>" is no difference."""
    return a == b or "<...>" in (a, b)


def differ(ours, theirs):
    """None, or the first difference of two lists of events."""
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b and not (len(a) == len(b) == 6 and a[:2] == b[:2] and a[3:] == b[3:] and
                           same_comm(a[2], b[2])):
            return "event %d:\ndwell:     %s\ntrace-cmd: %s" % (i + 1, a, b)
    if len(ours) != len(theirs):
        return "dwell: %d events, trace-cmd: %d" % (len(ours), len(theirs))
    return None


def entries(events):
    return [e for e in events if e[0] != "lost"]


def compare(tap, dwell, name, path):
    text = report(path)
    theirs = from_text(text)
    if not theirs:
        return tap.skip(name, "trace-cmd cannot read it")
    ours = from_dwell(dwell, path)
    tap.case(name, differ(entries(ours), entries(theirs)))
    tap.case(name + ": its text, read by dwell", differ(from_dwell(dwell, "-", text), theirs))
    clean = subprocess.run([dwell, "convert", "--to", "trace", path], stdout=subprocess.PIPE,
                           check=False).stdout
    tap.case(name + ": --to trace, read again", differ(from_dwell(dwell, "-", clean), ours))
    # trace-cmd names losses on pages, and we those of the recorder's statistics besides.
    lost = [e for e in ours if e[0] == "lost"]
    told = [e for e in theirs if e[0] == "lost"]
    tap.case(name + ": losses", None if lost[:len(told)] == told else
             "dwell: %s\ntrace-cmd: %s" % (lost, told))
    return tap.note("%s: %d events" % (name, len(ours)))


def sections(data):
    """(id, place of the data, size) of a little endian file of version 7."""
    at = 12 + 6 # magic, "7", byte order, size of long, page size
    for _ in range(2):
        at = data.index(b"\0", at) + 1
    at += 8
    while at + 16 <= len(data):
        ident, _, _, size = struct.unpack_from("<HHIQ", data, at)
        yield ident, at, size
        at += 16 + size


def mended(data, page):
    """The file with the chunks that are whole, and the option that says where they are."""
    data = bytearray(data)
    section = next(at for ident, at, _ in sections(data) if ident == 3)
    options = next(at for ident, at, _ in sections(data) if ident == 0)
    size, = struct.unpack_from("<Q", data, options + 8)
    last = options + 16 + size
    resume, = struct.unpack_from("<Q", data, last - 8)
    cpus, at = [], section + 16
    while True:
        at = (at + page - 1) // page * page
        begun = at
        count, = struct.unpack_from("<I", data, at)
        at += 4
        whole = 0
        while whole < count and at + 8 <= len(data):
            packed, = struct.unpack_from("<I", data, at)
            if at + 8 + packed > len(data):
                break
            at += 8 + packed
            whole += 1
        struct.pack_into("<I", data, begun, whole)
        cpus.append((len(cpus), begun, at - begun))
        if whole < count:
            break
    option = struct.pack("<Q", section) + b"\0local\0" + struct.pack("<II", page, len(cpus))
    option += b"".join(struct.pack("<IQQ", *cpu) for cpu in cpus)
    body = struct.pack("<HI", 3, len(option)) + option + struct.pack("<HIQ", 0, 8, 0)
    data += bytes(resume - len(data))
    return bytes(data + struct.pack("<HHIQ", 0, 0, 0, len(body)) + body)


def compare_mended(tap, dwell, name, path):
    with open(path, "rb") as f:
        data = f.read()
    with tempfile.NamedTemporaryFile(suffix=".dat") as whole:
        whole.write(mended(data, 4096))
        whole.flush()
        theirs = from_text(report(whole.name))
    if not theirs:
        return tap.case(name, "trace-cmd cannot read the copy that was mended")
    ours = from_dwell(dwell, path)
    tap.case(name + ", against a copy that was mended", differ(entries(ours), entries(theirs)))
    return tap.note("%s: %d events" % (name, len(ours)))


def with_options(data, options):
    """The file of version 7 with a further section of options, (id, data), behind its end."""
    data, section = bytearray(data), 12 + 6
    for _ in range(2):
        section = data.index(b"\0", section) + 1
    section, = struct.unpack_from("<Q", data, section)
    while section:
        at = section + 16
        ident, size = struct.unpack_from("<HI", data, at)
        while ident:
            at += 6 + size
            ident, size = struct.unpack_from("<HI", data, at)
        section, = struct.unpack_from("<Q", data, at + 6)
    struct.pack_into("<Q", data, at + 6, len(data))
    body = b"".join(struct.pack("<HI", i, len(d)) + d for i, d in options)
    body += struct.pack("<HIQ", 0, 8, 0)
    return bytes(data) + struct.pack("<HHIQ", 0, 0, 0, len(body)) + body


def time_shift(flags, cpus):
    """Option 12 of samples (time, offset, scaling, bits of fraction) of each CPU."""
    data = struct.pack("<QII", 1, flags, len(cpus))
    for samples in cpus:
        data += struct.pack("<I", len(samples))
        data += b"".join(struct.pack("<q", s[i]) for i in range(3) for s in samples)
    return data + b"".join(struct.pack("<q", s[3]) for samples in cpus for s in samples)


def compare_clocks(tap, dwell, path):
    """The options that change stamps, as trace-cmd applies them."""
    with open(path, "rb") as f:
        data = f.read()
    t, ms = from_dwell(dwell, path)[0][0], 10**6
    four = [(t, 5000, 1, 0), (t + 2 * ms, 9000, 1, 0), (t + 4 * ms, 1000, 5, 2),
            (t + 6 * ms, -4000, 1, 0)]
    for what, options in (
            ("the time of day", [(1, b"0x66180f8cc3bb6\0")]),
            ("an offset", [(7, b"-1000000\0")]),
            ("ticks of the TSC", [(14, struct.pack("<IIq", 3, 1, 10**9)), (7, b"5\0")]),
            ("a shift", [(12, time_shift(0, [[(t, 5000, 3, 1)], [(t, 7000, 1, 0)]]))]),
            ("a shift of one CPU", [(12, time_shift(0, [[(t, 5000, 1, 0)]]))]),
            ("a shift by steps", [(12, time_shift(0, [four, four[::-1]]))]),
            ("a shift between samples", [(12, time_shift(1, [four[:2], four])),
                                         (14, struct.pack("<IIq", 3, 1, 0))])):
        with tempfile.NamedTemporaryFile(suffix=".dat") as f:
            f.write(with_options(data, options))
            f.flush()
            theirs, ours = entries(from_text(report(f.name))), entries(from_dwell(dwell, f.name))
        tap.case("clock: " + what, "trace-cmd cannot read it" if not theirs else
                 "the stamps are the same without" if theirs[0][0] == t else
                 differ(ours, theirs))


def compare_cut(tap, dwell, folder):
    """The truncated file of version 6 has CPU 0's pages whole, and none of CPU 1's."""
    whole = os.path.join(folder, "sched-irq-lock-6.1-v6.dat")
    cut = os.path.join(folder, "sched-irq-lock-6.1-v6-truncated.dat")
    want = [e for e in from_dwell(dwell, whole) if e[1] == 0]
    ours = from_dwell(dwell, cut)
    tap.case("a cut file of version 6 gives what its pages hold", differ(entries(ours), want))
    lost = [e[1] for e in ours if e[0] == "lost"]
    tap.case("and says of which CPU they are missing", None if lost == [1] else "of %s" % lost)


def piped(dwell, path):
    with open(path, "rb") as f:
        p = subprocess.Popen(["cat"], stdin=f, stdout=subprocess.PIPE)
        out = subprocess.run([dwell, "convert", "--to", "jsonl", "-"], stdin=p.stdout,
                             stdout=subprocess.PIPE, check=False).stdout
        p.wait()
    return out


def compare_ways(tap, dwell, path):
    """The same from a file, from a pipe, and compressed."""
    want = subprocess.run([dwell, "convert", "--to", "jsonl", path], stdout=subprocess.PIPE,
                          check=False).stdout
    tap.case("a pipe gives the same", None if piped(dwell, path) == want else "it does not")
    with tempfile.TemporaryDirectory() as folder:
        packed = os.path.join(folder, "a.gz")
        with open(packed, "wb") as f:
            subprocess.run(["gzip", "-c", path], stdout=f, check=True)
        got = subprocess.run([dwell, "convert", "--to", "jsonl", packed], stdout=subprocess.PIPE,
                             check=False).stdout
    tap.case("gzip gives the same", None if got == want else "it does not")


def main():
    dwell = os.path.abspath(sys.argv[1])
    here = os.path.join(ROOT, "tests/recorded")
    shared = os.path.abspath(os.environ.get("DWELL_RECORDED") or
                             os.path.join(ROOT, "../shared/recorded"))
    tap = Tap()
    compare_ways(tap, dwell, os.path.join(here, "sched-irq-lock-6.1-v7-zstd.dat"))
    if not shutil.which("trace-cmd"):
        tap.skip("events as trace-cmd sees them", "no trace-cmd")
        return tap.finish()
    compare_clocks(tap, dwell, os.path.join(here, "sched-irq-lock-6.1-v7-zstd.dat"))
    paths = {}
    for folder in here, shared:
        if os.path.isdir(folder):
            paths.update((n, os.path.join(folder, n)) for n in sorted(os.listdir(folder))
                         if n.endswith(".dat"))
    for name, path in sorted(paths.items()):
        if "v7" in name and "truncated" in name:
            compare_mended(tap, dwell, name, path)
        elif "truncated" not in name:
            compare(tap, dwell, name, path)
    if "sched-irq-lock-6.1-v6-truncated.dat" in paths:
        compare_cut(tap, dwell, shared)
    else:
        tap.skip("files that were cut short", "none in " + shared)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
