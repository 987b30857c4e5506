#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Adds up what `meson test` logged in build folders, each result of a TAP program for itself.

    summary.py BUILDDIR...

The last line is 'N passed, N failed, N skipped'; the exit code is 1 if something failed or if
nothing ran. A folder whose log is missing or empty is one failure.
"""
import json
import os
import sys
import xml.etree.ElementTree as ET

GOOD = "OK", "SKIP", "EXPECTEDFAIL"


class Count:
    def __init__(self):
        self.passed = 0
        self.skipped = 0
        self.failed = []

    @property
    def ran(self):
        return self.passed + self.skipped + len(self.failed)


def short(name):
    """meson calls a test "project:suite / name"."""
    return name.split(" / ")[-1]


def programs(log):
    """Name to what meson says of the whole program."""
    with open(log, encoding="utf-8") as f:
        tests = [json.loads(line) for line in f]
    return {short(t["name"]): t for t in tests}


def diagnostics(suite, case):
    """The comments that a TAP program (cmocka's are on standard output) printed for a case."""
    said = []
    for line in (suite.findtext("system-out") or "").splitlines():
        if line.startswith("#") and said:
            said.append("    " + line)
        elif said:
            break
        elif line == "not ok " + case:
            said = [""]
    return "\n".join(said)


def add_suite(count, build, suite, verdicts):
    """
    The results of one TAP program, or all programs with no more than an exit code. Returns the
    names of the programs that failed.

    The JUnit log alone will not do: in it a program that crashed, hung or broke its plan after
    its last result looks like a success.
    """
    bad = set()
    for case in suite.iter("testcase"):
        name = short(case.get("classname", ""))
        single = name == case.get("classname")
        if single:
            name = short(case.get("name", ""))
        failed = case.find("failure") is not None or case.find("error") is not None
        if failed or (single and verdicts.get(name, {}).get("result") not in GOOD):
            bad.add(name)
            count.failed.append("%s: %s: %s%s" % (
                build, name, case.get("name"), diagnostics(suite, case.get("name"))))
        elif case.find("skipped") is not None:
            count.skipped += 1
        else:
            count.passed += 1
    return bad


def add_build(total, build):
    count = Count()
    logs = os.path.join(build, "meson-logs")
    try:
        verdicts = programs(os.path.join(logs, "testlog.json"))
        bad = set()
        for suite in ET.parse(os.path.join(logs, "testlog.junit.xml")).getroot():
            bad |= add_suite(count, build, suite, verdicts)
        for name, t in verdicts.items():
            if t["result"] not in GOOD and name not in bad:
                count.failed.append("%s: %s: %s after its last result, exit code %s" % (
                    build, name, t["result"].lower(), t["returncode"]))
    except (OSError, ET.ParseError, ValueError) as e:
        count.failed.append("%s: no test log: %s" % (build, e))
    if not count.ran:
        count.failed.append("%s: no test ran" % build)
    total.passed += count.passed
    total.skipped += count.skipped
    total.failed += count.failed


def main():
    total = Count()
    for build in sys.argv[1:]:
        add_build(total, build)
    for line in total.failed:
        print("failed: " + line)
    print("%d passed, %d failed, %d skipped" % (total.passed, len(total.failed), total.skipped))
    return 1 if total.failed or not total.ran else 0


if __name__ == "__main__":
    sys.exit(main())
