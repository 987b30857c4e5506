#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast dwell reads whole traces, beside other tools, on the same events in one run.

    whole.py BUILDDIR [--quick]

First made-up text (whole.c), beside `wc -l` and a bare scanner of lines; then events recorded here
(that needs root and tracefs), beside trace-cmd, perf and a bare iteration by libtracecmd. What
cannot run here is left out, and why is said. Figures as in run.py: rates and ratios are of the
least CPU time. --quick leaves out the two gigabytes.
"""
import os
import shutil
import struct
import subprocess
import sys
import tempfile

from run import Bench

ROUNDS = 4
KINDS = "events", "functions", "graph"
TRACEFS = "/sys/kernel/tracing"
EVENTS = ["sched/sched_switch", "sched/sched_waking", "sched/sched_wakeup",
          "sched/sched_migrate_task", "irq"]
PIPE_LOOPS = 150_000
LOAD = """perf bench sched pipe -l %d || yes | head -c 500000000 | cat | wc -c
for i in 1 2 3; do (for k in $(seq 300); do ls / | cat | wc -l; done) & done; wait""" % PIPE_LOOPS


class Whole(Bench):
    def __init__(self, build, folder):
        super().__init__(build, folder)
        for name in "whole", "iterate":
            self.programs[name] = os.path.join(build, "tests/bench/bench_" + name)

    def works(self, command):
        """Is the program there, and does it read the file?"""
        try:
            p = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, check=False)
        except OSError as e:
            return str(e)
        return p.stderr.decode(errors="replace").strip()[:100] if p.returncode else None


def table(bench, title, commands, items, what):
    """commands: (name, command, file); items: how many events or lines all of them read."""
    runs = {}
    for name, command, path in commands:
        problem = bench.works(command)
        if problem:
            print("note: left out: %s: %s" % (name, problem))
        else:
            runs[name] = (command, path, [])
    for _ in range(ROUNDS):  # in turn, so that a busy machine slows all of them
        for command, _, done in runs.values():
            done.append(bench.measure(command))
    print("\n%s: %s %s" % (title, "{:,}".format(items), what))
    print("  %-34s %10s %10s %12s %8s %9s %8s" % (
        "", "best", "CPU", what + "/s", "MB/s", "peak RSS", "x scan"))
    scan = next((min(r.cpu for r in done) for n, (_, _, done) in runs.items() if "scan" in n), None)
    for name, (_, path, done) in runs.items():
        cpu = max(min(r.cpu for r in done), 1e-6)
        print("  %-34s %7.0f ms %7.0f ms %12s %8.0f %6.1f MB %8s" % (
            name, min(r.wall for r in done) * 1e3, cpu * 1e3, "{:,}".format(round(items / cpu)),
            os.path.getsize(path) / 1e6 / cpu, max(r.rss for r in done),
            "%.2f" % (cpu / scan) if scan else "-"), flush=True)


def count_lines(path):
    with open(path, "rb") as f:
        return sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))


def readers(bench, path):
    return [("wc -l", ["wc", "-l", path], path),
            ("scan: lines, words", [bench.programs["scan"], path], path),
            ("dwell explain", [bench.dwell, "explain", path], path)]


# -- Made up -----------------------------------------------------------------------------------

def made_up(bench, kind, megabytes):
    path = os.path.join(bench.folder, kind + ".txt")
    with open(path, "wb") as f:
        subprocess.run([bench.programs["whole"], kind, str(megabytes)], stdout=f, check=True)
    commands = readers(bench, path)
    if kind != "events":
        commands.append(("dwell explain --tree", [bench.dwell, "explain", "--tree", path], path))
    for to in ("json", "jsonl", "trace", "perfetto") + (("folded",) if kind != "events" else ()):
        commands.append(("dwell convert --to " + to, [bench.dwell, "convert", "--to", to, path], path))
    table(bench, "%s, made up, %d MB" % (kind, megabytes), commands, count_lines(path), "lines")
    os.unlink(path)


def memory(bench, kind, megabytes):
    """Peak RSS of commands that read so much text through a pipe."""
    for command in (["explain"], ["convert", "--to", "perfetto"], ["convert", "--to", "folded"]):
        if "folded" in command and kind == "events":
            continue
        with subprocess.Popen([bench.programs["whole"], kind, str(megabytes)],
                              stdout=subprocess.PIPE) as g:
            run = bench.measure([bench.dwell] + command + ["-"], g.stdout)
        print("  %-9s %5d MB through a pipe to dwell %-22s %6.1f MB, %4.0f MB/s of CPU time" % (
            kind, megabytes, " ".join(command), run.rss, megabytes / run.cpu), flush=True)


# -- Recorded ------------------------------------------------------------------------------------

def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def record(dat, compression):
    """Records into an instance of our own, and lets trace-cmd write it out; None or why not."""
    name = "dwell-bench-%d" % os.getpid()
    instance = os.path.join(TRACEFS, "instances", name)
    try:
        os.mkdir(instance)
    except OSError as e:
        return "cannot record: %s" % e
    try:
        write(instance + "/buffer_size_kb", "80000")
        for event in EVENTS:
            write(instance + "/events/%s/enable" % event, "1")
        subprocess.run(["sh", "-c", LOAD], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       check=False)
        write(instance + "/tracing_on", "0")
        p = subprocess.run(["trace-cmd", "extract", "-B", name, "--compression", compression,
                            "-o", dat], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           check=False)
        if p.returncode:
            return p.stderr.decode().strip()[:100]
        make_top(dat)
        return None
    except OSError as e:
        return "cannot record: %s" % e
    finally:
        if os.path.isdir(instance):  # trace-cmd may have removed it
            os.rmdir(instance)


def options(data):
    """(id, place, size) of each option of a little endian file of version 7."""
    at = 18
    for _ in range(2):  # name and version of the compression
        at = data.index(b"\0", at) + 1
    section, = struct.unpack_from("<Q", data, at)
    while section:
        at, end = section + 16, section + 16 + struct.unpack_from("<Q", data, section + 8)[0]
        section = 0
        while at < end:
            ident, size = struct.unpack_from("<HI", data, at)
            at += 6
            yield ident, at, size
            if ident == 0:
                section, = struct.unpack_from("<Q", data, at)
            at += size


def make_top(path):
    """Names the instance's buffer as the top one, the only one of which trace-cmd makes a profile."""
    with open(path, "r+b") as f:
        data = bytearray(f.read())
        buffers = [at for ident, at, _ in options(bytes(data)) if ident == 3]
        struct.pack_into("<H", data, buffers[0] - 6, 60)  # the empty one: of an unknown kind
        name = buffers[-1] + 8
        clock = data.index(b"\0", name) + 1
        end = data.index(b"\0", clock)
        data[name:end] = (b"\0" + data[clock:end]).ljust(end - name, b"-")
        f.seek(0)
        f.write(data)


def recorded(bench, compression):
    dat = os.path.join(bench.folder, compression + ".dat")
    problem = record(dat, compression) if shutil.which("trace-cmd") else "no trace-cmd"
    if problem:
        print("\nnote: trace.dat is left out: %s" % problem)
        return
    text = dat + ".txt"
    with open(text, "wb") as f:
        subprocess.run(["trace-cmd", "report", dat], stdout=f, stderr=subprocess.DEVNULL, check=True)
    commands = readers(bench, text)
    commands[2] = ("dwell explain its text", commands[2][1], text)
    commands += [
        ("dwell explain trace.dat", [bench.dwell, "explain", dat], dat),
        ("dwell convert --to trace", [bench.dwell, "convert", "--to", "trace", dat], dat),
        ("dwell convert --to jsonl", [bench.dwell, "convert", "--to", "jsonl", dat], dat),
        ("libtracecmd, bare iteration", [bench.programs["iterate"], dat], dat),
        ("trace-cmd report", ["trace-cmd", "report", dat], dat),
        ("trace-cmd report --profile", ["trace-cmd", "report", "--profile", dat], dat)]
    table(bench, "trace.dat recorded here, compression %s, %.1f MB, as text %.1f MB" % (
        compression, os.path.getsize(dat) / 1e6, os.path.getsize(text) / 1e6),
        commands, count_lines(text), "events")
    os.unlink(text)


# -- Grown -----------------------------------------------------------------------------------------

def grow(data, to, megabytes):
    """Writes the file with the pages of its last buffer again and again, each time later."""
    at = [at for ident, at, _ in options(data) if ident == 3][-1] + 8
    for _ in range(2):  # the buffer's name and its clock
        at = data.index(b"\0", at) + 1
    page, cpus = struct.unpack_from("<II", data, at)
    rows = [(at + 8 + 20 * i, *struct.unpack_from("<IQQ", data, at + 8 + 20 * i))
            for i in range(cpus)]
    stamps = [struct.unpack_from("<Q", data, a)[0]
              for _, _, begin, size in rows for a in range(begin, begin + size, page)]
    span = max(stamps) - min(stamps) + 10**7
    times = max(1, megabytes * 10**6 // sum(size for _, _, _, size in rows))
    head = bytearray(data + bytes(-len(data) % page))
    place = len(head)
    for row, cpu, _, size in rows:
        struct.pack_into("<IQQ", head, row, cpu, place, size * times)
        place += size * times
    to.write(head)
    for _, _, begin, size in rows:
        for i in range(times):
            pages = bytearray(data[begin:begin + size])
            for a in range(0, size, page):
                struct.pack_into("<Q", pages, a, struct.unpack_from("<Q", pages, a)[0] + i * span)
            to.write(pages)


def grown(bench, megabytes):
    """Peak RSS of commands that read a trace.dat so long."""
    path = os.path.join(bench.folder, "none.dat")
    if not os.path.exists(path):
        return
    with open(path, "rb") as f:
        data = f.read()
    long = os.path.join(bench.folder, "long.dat")
    with open(long, "wb") as f:
        grow(data, f, megabytes)
    for command in (["explain"], ["convert", "--to", "trace"]):
        run = bench.measure([bench.dwell] + command + [long])
        print("  trace.dat %5d MB to dwell %-31s %6.1f MB, %4.0f MB/s of CPU time" % (
            os.path.getsize(long) / 1e6, " ".join(command), run.rss,
            os.path.getsize(long) / 1e6 / run.cpu), flush=True)
    os.unlink(long)


def perf(bench):
    data, text = (os.path.join(bench.folder, n) for n in ("perf.data", "perf.txt"))
    command = ["perf", "record", "-q", "-a", "-m", "4096", "-e", "sched:sched_switch",
               "-e", "sched:sched_waking", "-e", "sched:sched_wakeup", "-o", data, "sh", "-c", LOAD]
    problem = bench.works(command)
    if problem and not os.path.exists(data):
        print("\nnote: perf is left out: %s" % problem)
        return
    with open(text, "wb") as f:
        subprocess.run(["perf", "script", "-i", data], stdout=f, stderr=subprocess.DEVNULL, check=True)
    commands = readers(bench, text)
    commands[2] = ("dwell explain its text", commands[2][1], text)
    commands.append(("perf script", ["perf", "script", "-i", data], data))
    commands.append(("perf sched latency", ["perf", "sched", "latency", "-i", data], data))
    table(bench, "perf.data recorded here, %.1f MB, as text %.1f MB" % (
        os.path.getsize(data) / 1e6, os.path.getsize(text) / 1e6), commands, count_lines(text), "events")


def main():
    args = [a for a in sys.argv[1:] if a != "--quick"]
    if len(args) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="dwell-bench-") as folder:
        bench = Whole(args[0], folder)
        for kind in KINDS:
            made_up(bench, kind, 100)
        print("\nPeak RSS (to be flat)", flush=True)
        for kind in KINDS:
            for megabytes in (100,) if "--quick" in sys.argv else (100, 2000):
                memory(bench, kind, megabytes)
        for compression in "none", "zstd":
            recorded(bench, compression)
        print("\nPeak RSS (to be flat)", flush=True)
        for megabytes in (100,) if "--quick" in sys.argv else (100, 2000):
            grown(bench, megabytes)
        perf(bench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
