#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What counting costs a lock and its unlock, in ns: bare, counted (--hold none), with sampled and
with all holds timed. Taken in turn, ROUNDS times; the lowest and the median of each.

    lock_pair.py PAIR LIBRARY [ROUNDS]
"""
import os
import statistics
import subprocess
import sys
import tempfile

MODES = ["bare", "none", "sample", "all"]
WORK = [("one thread, one lock", (1, 1, 2000000), "+"), ("one thread, 64 locks", (1, 64, 2000000), "+"),
        ("two threads, one lock", (2, 1, 1000000), "x"), ("two threads, 64 locks", (2, 64, 1000000), "x")]


def measure(pair, library, mode, arguments):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        env = dict(os.environ)
        if mode != "bare":
            env.update(LD_PRELOAD=library, DWELL_LOCKS=folder, DWELL_LOCKS_HOLD=mode,
                       DWELL_LOCKS_CLOCK="tsc")
        out = subprocess.run([pair, *map(str, arguments)], env=env, check=True,
                             stdout=subprocess.PIPE).stdout
    return float(out)


def main():
    pair, library = (os.path.abspath(p) for p in sys.argv[1:3])
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 15
    print("ns a pair and thread, lowest / median of %d" % rounds)
    for name, arguments, sign in WORK:
        took = {m: [] for m in MODES}
        for _ in range(rounds):
            for mode in MODES:
                took[mode].append(measure(pair, library, mode, arguments))
        bare = min(took["bare"]), statistics.median(took["bare"])
        line = "%-22s" % name
        for mode in MODES:
            low, mid = min(took[mode]), statistics.median(took[mode])
            line += "  %s %.1f / %.1f" % (mode, low, mid)
            if mode != "bare":
                line += " (%s)" % ("+%.1f / +%.1f" % (low - bare[0], mid - bare[1]) if sign == "+"
                                   else "x%.2f / x%.2f" % (low / bare[0], mid / bare[1]))
        print(line, flush=True)


if __name__ == "__main__":
    main()
