#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""How fast dwell reads, beside `wc -l` and a bare scanner of lines, in one run.

    run.py BUILDDIR [--quick]

A table to be read by a person: it never fails because of a figure. Best and median are wall-clock
times; rates and ratios are of the least CPU time, which a busy machine disturbs less. --quick
leaves out the two gigabytes through a pipe.
"""
import os
import statistics
import subprocess
import sys
import tempfile

ROUNDS = 5
LINES = 20_000, 200_000, 2_000_000
HISTORIC = 38_020  # lines of a trace of 2006, which shall take 20 ms
BYTES_A_LINE = 77


class Run:
    def __init__(self, text):
        wall, cpu, rss, self.code = (int(x) for x in text.split())
        self.wall, self.cpu, self.rss = wall / 1e6, cpu / 1e6, rss / 1024


class Bench:
    def __init__(self, build, folder):
        self.programs = {n: os.path.join(build, "tests/bench/bench_" + n)
                         for n in ("generate", "measure", "scan")}
        self.dwell = os.path.join(build, "dwell")
        self.folder = folder

    def generate(self, lines):
        path = os.path.join(self.folder, "%d.txt" % lines)
        with open(path, "wb") as f:
            subprocess.run([self.programs["generate"], str(lines)], stdout=f, check=True)
        return path

    def measure(self, command, stdin=subprocess.DEVNULL):
        """One run of a command, its output thrown away."""
        read, write = os.pipe()
        p = subprocess.Popen(["sh", "-c", 'exec "$0" "$@" 3>&%d' % write,
                              self.programs["measure"]] + command,
                             stdin=stdin, stderr=subprocess.DEVNULL, pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as f:
            text = f.read()
        if p.wait() != 0 or len(text.split()) != 4:
            sys.exit("could not run: %s" % " ".join(command))
        run = Run(text)
        if run.code != 0:
            print("note: exit %d: %s" % (run.code, " ".join(command)))
        return run

    def commands(self, path):
        return [("wc -l", ["wc", "-l", path]),
                ("scan: lines, words", [self.programs["scan"], path]),
                ("dwell explain", [self.dwell, "explain", path]),
                ("dwell convert --to json", [self.dwell, "convert", "--to", "json", path])]


def table(bench, lines, path):
    megabytes = os.path.getsize(path) / 1e6
    commands = bench.commands(path)
    runs = {name: [] for name, _ in commands}
    for i in range(ROUNDS + 1):  # in turn, so that a busy machine slows all of them
        for name, command in commands:
            run = bench.measure(command)
            if i:  # the first one warms the caches
                runs[name].append(run)
    print("\n%s lines, %.1f MB" % ("{:,}".format(lines), megabytes))
    print("  %-24s %9s %9s %9s %12s %9s %9s %8s" % (
        "", "best", "median", "CPU", "lines/s", "MB/s", "peak RSS", "x scan"))
    scan = min(r.cpu for r in runs["scan: lines, words"])
    for name, _ in commands:
        cpu = min(r.cpu for r in runs[name])
        print("  %-24s %6.1f ms %6.1f ms %6.1f ms %12s %9.0f %6.1f MB %8.2f" % (
            name, min(r.wall for r in runs[name]) * 1e3,
            statistics.median(r.wall for r in runs[name]) * 1e3, cpu * 1e3,
            "{:,}".format(round(lines / cpu)), megabytes / cpu, max(r.rss for r in runs[name]),
            cpu / scan), flush=True)


def start(bench):
    path = bench.generate(HISTORIC)
    runs = [bench.measure([bench.dwell, "explain", path]) for _ in range(4 * ROUNDS)]
    nothing = [bench.measure([bench.dwell, "--version"]) for _ in range(4 * ROUNDS)]
    print("\n%s lines, process and all: %.1f ms of CPU at best, %.1f in the median (bar: 20 ms); "
          "start-up alone %.1f ms" % (
              "{:,}".format(HISTORIC), min(r.cpu for r in runs) * 1e3,
              statistics.median(r.cpu for r in runs) * 1e3, min(r.cpu for r in nothing) * 1e3))


def memory(bench, megabytes):
    """Peak RSS of one explanation of so much text through a pipe."""
    lines = megabytes * 1_000_000 // BYTES_A_LINE
    with subprocess.Popen([bench.programs["generate"], str(lines)], stdout=subprocess.PIPE) as g:
        run = bench.measure([bench.dwell, "explain", "-"], g.stdout)
    print("  %5d MB through a pipe: %5.1f MB, %.0f MB/s of CPU time" % (
        megabytes, run.rss, megabytes / run.cpu), flush=True)


def main():
    args = [a for a in sys.argv[1:] if a != "--quick"]
    if len(args) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="dwell-bench-") as folder:
        bench = Bench(args[0], folder)
        for lines in LINES:
            table(bench, lines, bench.generate(lines))
        start(bench)
        print("\nPeak RSS (to be flat)", flush=True)
        for megabytes in (100,) if "--quick" in sys.argv else (100, 2000):
            memory(bench, megabytes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
