#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""`dwell diff` of whole traces against the truth: bench/call_trace.py writes traces of different
length whose loop is dearer by a known amount, and that call a function which the base does not.

    compared.py DWELL
"""
import json
import os
import subprocess
import sys
import tempfile

from tap import Tap

TESTS = os.path.dirname(os.path.abspath(__file__))
GENERATOR = os.path.join(TESTS, "bench", "call_trace.py")
BASE = {"requests": 20, "copy": 2000}
NEW = {"requests": 50, "copy": 3000}
CPUS, TURNS, CHECK_NS = 2, 8, 4000


def write(folder, name, form, *options):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        subprocess.run([sys.executable, GENERATOR, form, *map(str, options)], stdout=f, check=True)
    return path


def options_of(side, run):
    return ["--run", run, "--requests", side["requests"], "--copy", side["copy"]]


def diff(dwell, *args):
    done = subprocess.run([dwell, "diff", "--format", "json", *args], stdout=subprocess.PIPE,
                          check=True)
    return {s["key"]: s for s in json.loads(done.stdout)[0]["sections"]}


def finding(section, key):
    return next((f for f in section["findings"] if f["key"] == key), None)


def row(sections, key, name):
    return next((r for t in sections[key]["tables"] for r in t["rows"] if r["name"] == name), None)


def wrong(what, got, want, tolerance):
    """None, or what is wrong."""
    if got is not None and abs(got - want) <= tolerance * want:
        return None
    return "%s is %s, not about %s" % (what, got, want)


def first(problems):
    return next((p for p in problems if p), None)


def by_second(s, tolerance):
    lengths = {f["key"]: f for f in s["difference"]["findings"]}["lengths"]["facts"]
    page, check = row(s, "functions", "copy_page"), row(s, "functions", "check_pages")
    problems = []
    for side, of in (("base", BASE), ("new", NEW)):
        seconds = lengths[side + "_length_ns"] / 1e9
        calls = CPUS * of["requests"] * TURNS
        problems += [
            wrong(side + "_number", page[side + "_number"], calls, 0),
            wrong(side + "_number_per_s", page[side + "_number_per_s"], calls / seconds, 0.001),
            wrong(side + "_each_ns", page[side + "_each_ns"], of["copy"], tolerance),
            wrong(side + "_ns_per_s", page[side + "_ns_per_s"], calls * of["copy"] / seconds, tolerance)]
    checks = CPUS * NEW["requests"]
    problems += [
        wrong("check_pages", check["new_each_ns"], CHECK_NS, 5 * tolerance),
        wrong("its number", check["new_number"], checks, 0),
        None if check["base_ns_per_s"] is None and check["base_number"] is None else
        "check_pages is in the base"]
    return first(problems)


def by_call(s):
    page = row(s, "functions", "copy_page")
    return first([wrong("each", page["new_each_ns"], 3000, 0.01),
                  wrong("change", page["change_ns"], 1000, 0.03),
                  wrong("turns", row(s, "loops", "do_read > copy_pages > copy_page")["new_number"],
                        CPUS * NEW["requests"] * TURNS, 0)])


def has_interval(s, low, high):
    """The interval has the truth in it, and is narrower than from low to high."""
    page = row(s, "functions", "copy_page")["shift_ns"]
    if not page:
        return "no interval"
    if not low < page["low"] <= page["high"] < high:
        return "%s is not within %d and %d" % (page, low, high)
    told = finding(s["inference"], "many")
    return None if told else "it is not said how many intervals there are"


def main():
    dwell, tap = sys.argv[1], Tap()
    with tempfile.TemporaryDirectory() as folder:
        for form, tolerance in (("graph", 0.01), ("function", 0.05)):
            a = write(folder, "a", form, *options_of(BASE, 1))
            b = write(folder, "b", form, *options_of(NEW, 2), "--check")
            s = diff(dwell, a, b)
            tap.case(form + " by second", by_second(s, tolerance))
            tap.case(form + ": one each infers nothing",
                     None if finding(s["inference"], "one_each") else "it does")
            same = diff(dwell, a, a)
            tap.case(form + ": nothing against itself", first(
                [None if finding(same["difference"], "alike") else "not told to be alike"] +
                [str(r) for r in same["functions"]["tables"][0]["rows"] if r["change_ns"]]))
        a = write(folder, "a", "bare", *options_of(BASE, 1))
        b = write(folder, "b", "bare", *options_of(NEW, 2), "--check")
        tap.case("bare by call", by_call(diff(dwell, a, b)))
        sets = []
        for side, of in enumerate((BASE, NEW)):
            sets += ["--new" if side else "--base"]
            sets += [write(folder, "s%d%d" % (side, i), "bare", *options_of(of, 10 * side + i))
                     for i in range(5)]
        tap.case("the interval of a set", has_interval(diff(dwell, *sets), 980, 1020))
        few = diff(dwell, *[a for i, a in enumerate(sets) if i % 6 < 4])
        tap.case("three a side are too few",
                 None if finding(few["inference"], "too_few") else "there is an interval")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
