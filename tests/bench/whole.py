#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast dwell reads whole traces, beside other tools, on the same events in one run.

    whole.py BUILDDIR [--quick]

First made-up text (whole.c), beside `wc -l` and a bare scanner of lines; then events recorded here
(that needs root and tracefs), beside trace-cmd, perf and a bare iteration by libtracecmd. What
cannot run here is left out, and why is said. Figures as in run.py: rates and ratios are of the
least CPU time. --quick leaves out the two gigabytes through a pipe.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from run import Bench

ROUNDS = 4
KINDS = "events", "functions"
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
    for to in ("json", "jsonl", "perfetto") + (("folded",) if kind == "functions" else ()):
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
        return p.stderr.decode().strip()[:100] if p.returncode else None
    except OSError as e:
        return "cannot record: %s" % e
    finally:
        if os.path.isdir(instance):  # trace-cmd may have removed it
            os.rmdir(instance)


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
        ("libtracecmd, bare iteration", [bench.programs["iterate"], dat], dat),
        ("trace-cmd report", ["trace-cmd", "report", dat], dat),
        ("trace-cmd report --profile", ["trace-cmd", "report", "--profile", dat], dat)]
    table(bench, "trace.dat recorded here, compression %s, %.1f MB, as text %.1f MB" % (
        compression, os.path.getsize(dat) / 1e6, os.path.getsize(text) / 1e6),
        commands, count_lines(text), "events")
    os.unlink(text)


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
        perf(bench)
    return 0


if __name__ == "__main__":
    sys.exit(main())
