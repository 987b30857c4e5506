#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A made-up /proc/lock_stat of any size, the same for the same arguments.

    lock_table.py [--classes N] [--contended SHARE] [--seed N] [--run N] [--noise SD]
                  [--change I=FACTOR]...

The classes' figures go by the seed; a run scatters them by a log-normal factor of its own, and
--change multiplies the contentions, bounces and waits of class I. For the benchmark of tables
(tests/bench/lock_table.py | dwell explain) and for tests of repeated runs.
"""
import argparse
import math
import random
import sys

COLUMNS = ["con-bounces", "contentions", "waittime-min", "waittime-max", "waittime-total",
           "waittime-avg", "acq-bounces", "acquisitions", "holdtime-min", "holdtime-max",
           "holdtime-total", "holdtime-avg"]
RULE = 40 + 1 + 12 * 15


def us(ns):
    return "%d.%02d" % (ns // 1000, (ns % 1000) // 10)


def row(name, c):
    wait, hold = c["wait"], c["hold"]
    waits, holds = c["contentions"], c["acquisitions"]
    mean = wait // waits if waits else 0
    return "%40s:%14d %14d %14s %14s %14s %14s %14d %14d %14s %14s %14s %14s" % (
        name, c["con_bounces"], waits, us(mean // 4), us(min(mean * 9, wait)), us(wait), us(mean),
        c["bounces"], holds, us(hold // holds // 5), us(min(hold // holds * 12, hold)), us(hold),
        us(hold // holds))


def sites(name, i, contentions):
    """Four sites that leave a tenth without one."""
    out, rest = [], contentions - contentions // 10
    for s in range(4):
        count = rest if s == 3 else rest // 2
        rest -= count
        if count:
            out.append("%40s %14d %29s %s" % (name, count, "[<%016x>]" % (0xabcd0000 + 4 * i + s),
                                              "made_up_%d_%d+0x%x/0x200" % (i, s, 16 * s + 8)))
    return out


def print_class(i, c):
    name = "&made_up_%d->lock" % i
    print(row(name, c))
    if not c["contentions"]:
        return
    dashes = " " * (40 - len(name)) + "-" * len(name)
    for shift in (0, 1):
        print(dashes)
        print("\n".join(sites(name, i + shift, c["contentions"])))
    print("\n" + "." * RULE + "\n")


def figures(contended_share, base, run, noise, factor):
    """Of a class: its size by the seed, its scatter by the run."""
    size = math.exp(base.gauss(9, 2)) + 20
    contended, bouncing = base.random() ** 4 / 10, base.random() ** 2 / 2
    contended = contended if base.random() < contended_share else 0
    mean_wait, mean_hold = math.exp(base.gauss(7, 1)), math.exp(base.gauss(6, 1))

    def scatter():
        return math.exp(run.gauss(0, noise))

    acquisitions = int(size * scatter()) + 1
    contentions = int(acquisitions * min(contended * factor, 0.9) * scatter())
    return {
        "acquisitions": acquisitions,
        "contentions": min(contentions, acquisitions),
        "con_bounces": contentions * 9 // 10,
        "bounces": min(int(acquisitions * min(bouncing * factor, 0.9) * scatter()), acquisitions),
        "wait": int(contentions * mean_wait * scatter()),
        "hold": int(acquisitions * mean_hold * scatter()) + 1,
    }


def main():
    ap = argparse.ArgumentParser(description="a made-up /proc/lock_stat")
    ap.add_argument("--classes", type=int, default=5000)
    ap.add_argument("--contended", type=float, default=0.2, help="share of the classes")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--run", type=int, default=0, help="which of several runs")
    ap.add_argument("--noise", type=float, default=0.0, help="standard deviation of the logs")
    ap.add_argument("--change", action="append", default=[], metavar="I=FACTOR")
    a = ap.parse_args()
    changes = {int(i): float(f) for i, f in (c.split("=") for c in a.change)}
    base, run = random.Random(a.seed), random.Random("%d/%d" % (a.seed, a.run))

    print("lock_stat version 0.4")
    print("-" * RULE)
    print("%40s %s" % ("class name", " ".join("%14s" % c for c in COLUMNS)))
    print("-" * RULE + "\n")
    for i in range(a.classes):
        print_class(i, figures(a.contended, base, run, a.noise, changes.get(i, 1.0)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
