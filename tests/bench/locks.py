#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What `dwell record locks` costs, beside its peers, in one run:

- a lock and its unlock: bare, counted (--hold none), with one hold in 512 timed (sample, the default),
  and with all;
- the same under valgrind's DRD, `perf trace -s -e futex`, and a bpftrace uprobe on the lock;
- redis-server under redis-benchmark, pipelined so that the server is what is waited for.

    locks.py BUILDDIR [--rounds N] [--fifo]

A table to be read by a person: it never fails because of a figure. All is taken in turn, so that a
busy machine disturbs all alike; the lowest and the median are given. --fifo runs all at a
real-time priority (root), which keeps neighbours away. What is not installed, or is not allowed
here, is said.
"""
import argparse
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

MODES = ["none", "sample", "all"]
# Threads, locks, pairs of each thread, kind of lock.
WORK = [(1, 1, 1000000, "mutex"), (1, 64, 1000000, "mutex"), (2, 1, 300000, "mutex"),
        (8, 1, 60000, "mutex"), (2, 64, 300000, "mutex"), (8, 64, 60000, "mutex"),
        (1, 1, 1000000, "spin"), (1, 1, 1000000, "write"), (1, 1, 1000000, "read"),
        (2, 1, 300000, "spin"), (2, 1, 300000, "write"), (2, 1, 300000, "read")]
NAMES = {"mutex": "lock", "spin": "spinlock", "write": "rwlock, written", "read": "rwlock, read"}
BARS = {"none": 8, "sample": 8, "all": 25}  # ns more, of one thread and one lock
BAR_CONTENDED = 1.3
PEER_PAIRS = 20000
TIMEOUT_S = 120
REDIS_ROUNDS = 7
REDIS_REQUESTS = 400000
REDIS_BAR = 0.97


def environment(library, mode, folder):
    return dict(os.environ, LD_PRELOAD=library, DWELL_LOCKS=folder, DWELL_LOCKS_HOLD=mode,
                DWELL_LOCKS_CLOCK="tsc")


def lowest_and_median(values):
    return min(values), statistics.median(values)


# -- Pairs ------------------------------------------------------------------------------------------

class Pairs:
    def __init__(self, build, prefix):
        self.pair = os.path.join(build, "tests/bench/bench_lock_pair")
        self.library = os.path.join(build, "preload/libdwell-locks.so")
        self.prefix = prefix

    def run(self, work, command=(), env=None):
        """ns a pair and thread; None: it could not be run so, and why."""
        p = subprocess.run([*self.prefix, *command, self.pair, *map(str, work)], env=env,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                           check=False)
        said = p.stdout.decode().split("\n")
        figures = [line for line in said if re.fullmatch(r"\d+\.\d+", line)]
        return float(figures[0]) if figures else None, p.stderr.decode().strip()

    def counted(self, work, mode):
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            return self.run(work, env=environment(self.library, mode, folder))[0]


def name_of(work):
    what = NAMES[work[3] if len(work) > 3 else "mutex"] + "s"[work[1] == 1:]
    return "%d thread%s, %d %s" % (work[0], "s"[work[0] == 1:], work[1], what)


def bench_pairs(pairs, rounds):
    print("\nA LOCK AND ITS UNLOCK   ns a pair and thread: lowest / median of %d" % rounds)
    for work in WORK:
        took = {m: [] for m in ["bare"] + MODES}
        for _ in range(rounds):
            took["bare"].append(pairs.run(work)[0])
            for mode in MODES:
                took[mode].append(pairs.counted(work, mode))
        bare = lowest_and_median(took["bare"])
        print("  %-28s bare    %7.1f / %7.1f" % (name_of(work), *bare))
        for mode in MODES:
            is_ = lowest_and_median(took[mode])
            bar = ""
            if work[3] != "mutex":
                pass
            elif work[:2] == (1, 1):
                bar = "   bar +%d" % BARS[mode]
            elif work[:2] == (2, 1):
                bar = "   bar x%.1f" % BAR_CONTENDED
            print("  %-28s %-7s %7.1f / %7.1f   %+.1f / %+.1f   x%.2f / x%.2f%s"
                  % ("", mode, *is_, is_[0] - bare[0], is_[1] - bare[1], is_[0] / bare[0],
                     is_[1] / bare[1], bar), flush=True)


# -- Peers ------------------------------------------------------------------------------------------

PROBE = "uprobe:%s:pthread_mutex_lock { @ = count(); }"


def libc():
    with open("/proc/self/maps", encoding="utf-8") as f:
        return next(line.split()[-1] for line in f if "/libc.so.6" in line or "/libc-2" in line)


def run_traced(pairs, work):
    """Under a uprobe of bpftrace, which must be there before the program is."""
    with subprocess.Popen(["bpftrace", "-e", 'BEGIN { printf("ready\\n"); } ' + PROBE % libc()],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as p:
        said = []
        watchdog = threading.Timer(TIMEOUT_S, p.kill)
        watchdog.start()
        for line in p.stdout:
            said.append(line.decode().strip())
            if said[-1] == "ready" or not line:
                break
        took = None
        if said and said[-1] == "ready":
            time.sleep(0.5)
            took = pairs.run(work)[0] if p.poll() is None else None
            p.send_signal(signal.SIGINT)
        said += p.stdout.read().decode().split("\n")
        watchdog.cancel()
    why = next((s for s in said if "ERROR" in s or "not permitted" in s), "it saw no call")
    return (took, "") if any(s.startswith("@: ") and s != "@: 0" for s in said) else (None, why)


def bench_peers(pairs):
    print("\nPEERS   ns a pair: one run each, of %d pairs" % PEER_PAIRS)
    peers = [("bare", None, lambda w: pairs.run(w)),
             ("dwell, all holds", None, lambda w: (pairs.counted(w, "all"), "")),
             ("valgrind DRD", "valgrind", lambda w: pairs.run(w, ["valgrind", "--tool=drd", "-q"])),
             ("perf trace futex", "perf",
              lambda w: pairs.run(w, ["perf", "trace", "-s", "-e", "futex", "--"])),
             ("bpftrace uprobe", "bpftrace", lambda w: run_traced(pairs, w))]
    for threads in 1, 2:
        for name, needs, run in peers:
            label = "  %-28s %-17s" % (name_of((threads, 1)) if name == "bare" else "", name)
            if needs and not shutil.which(needs):
                print(label + "not installed")
                continue
            took, why = run((threads, 1, PEER_PAIRS))
            print(label + ("%10.1f" % took if took else "not here: " + why.split("\n")[-1]),
                  flush=True)


# -- redis ------------------------------------------------------------------------------------------

class Redis:
    def __init__(self, dwell, prefix, folder):
        self.dwell, self.prefix, self.folder = dwell, prefix, folder
        self.socket = os.path.join(folder, "redis.sock")

    def ask(self, *words):
        return subprocess.run(["redis-cli", "-s", self.socket, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=TIMEOUT_S,
                              check=False).stdout.decode()

    def cpu_s(self):
        return sum(float(line.split(":")[1]) for line in self.ask("info", "cpu").split()
                   if re.match(r"used_cpu_(user|sys):", line))

    def measure(self, counted):
        """Requests a second, and us of the server's CPU for each."""
        command = ["redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "",
                   "--dir", self.folder]
        if counted:
            command = [self.dwell, "record", "locks", "-o", os.path.join(self.folder, "a.json"),
                       "--", *command]
        with subprocess.Popen(self.prefix + command, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as p:
            while "PONG" not in self.ask("ping"):
                time.sleep(0.05)
            before = self.cpu_s()
            out = subprocess.run(
                self.prefix + ["redis-benchmark", "-s", self.socket, "-t", "set,get", "-P", "16", "-c",
                               "20", "-n", str(REDIS_REQUESTS), "-r", "10000", "--csv"],
                stdout=subprocess.PIPE, timeout=TIMEOUT_S, check=True).stdout
            cpu = self.cpu_s() - before
            self.ask("shutdown", "nosave")
            p.wait(TIMEOUT_S)
        rates = [float(r) for r in re.findall(r'^"[GS]ET","([\d.]+)"', out.decode(), re.M)]
        return statistics.harmonic_mean(rates), 1e6 * cpu / REDIS_REQUESTS / 2


def text(v):
    return "{:,.0f}".format(v) if v > 1000 else "%.3f" % v


def spread(values):
    low, mid, high = min(values), statistics.median(values), max(values)
    return " ".join(["median %s," % text(mid), text(low), "to", text(high)])


def bench_redis(dwell, prefix):
    print("\nREDIS   redis-benchmark -P 16 -c 20, SET and GET, %d times in turn" % REDIS_ROUNDS)
    for needs in "redis-server", "redis-benchmark":
        if not shutil.which(needs):
            print("  not installed: " + needs)
            return
    took = {False: [], True: []}
    for i in range(2 * REDIS_ROUNDS):
        counted = (i + i // 2) % 2 == 1  # the first of each two in turn
        with tempfile.TemporaryDirectory() as folder:
            took[counted].append(Redis(dwell, prefix, folder).measure(counted))
    for column, what in enumerate(["requests a second", "us of CPU a request"]):
        bare, counted = ([t[column] for t in took[c]] for c in (False, True))
        print("  %-20s bare   %s" % (what, spread(bare)))
        ratio = statistics.median(counted) / statistics.median(bare)
        print("  %-20s dwell  %s   x%.3f%s" % ("", spread(counted), ratio,
                                               "   bar x%.2f" % REDIS_BAR if not column else ""))


def main():
    ap = argparse.ArgumentParser(description="what dwell record locks costs")
    ap.add_argument("build")
    ap.add_argument("--rounds", type=int, default=15)
    ap.add_argument("--fifo", action="store_true")
    a = ap.parse_args()
    build = os.path.abspath(a.build)
    pairs = Pairs(build, ["chrt", "-f", "1"] if a.fifo else [])
    bench_pairs(pairs, a.rounds)
    bench_peers(pairs)
    bench_redis(os.path.join(build, "dwell"), pairs.prefix)
    return 0


if __name__ == "__main__":
    sys.exit(main())
