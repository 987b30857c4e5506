#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs the fuzz targets with libFuzzer, one after the other, and prints what came of it.

    run.py BUILDDIR RUNS [TARGET...]

What a target found is kept in BUILDDIR/findings; the inputs that led on, in BUILDDIR/corpus, from
where the next run goes on. The exit code is 1 if there is a finding.
"""
import os
import re
import resource
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TEXTS = [os.path.join(ROOT, folder) for folder in ("tests/recorded", "tests/golden", "examples")]
SECONDS_AN_INPUT = 20
MEGABYTES = 1024
# With thousands of inputs in the corpus, keeping their energies costs more than what is tested
# (diff: 722 executions a second of CPU instead of 459), and so does looking for new files.
PLAIN = ["-entropic=0", "-reload=0"]


def targets():
    """(name, dictionary, longest input, folders of seeds), as the file `targets` says."""
    with open(os.path.join(HERE, "targets"), encoding="utf-8") as f:
        for line in f:
            word = line.split("#")[0].split()
            if not word:
                continue
            seeds = [os.path.join(HERE, "corpus", folder) for folder in word[3:]]
            yield word[0], word[1], word[2], seeds + (TEXTS if "texts" in word[3:] else [])


def stat(log, name):
    """A number of libFuzzer's final statistics, or None."""
    m = re.search(r"^stat::%s:\s+(\d+)" % name, log, re.M)
    return int(m[1]) if m else None


def reason(log):
    """The line that says what was found."""
    for what in "not so: ", "runtime error: ", "SUMMARY: ", "ERROR: ":
        m = re.search("^.*%s.*$" % what, log, re.M)
        if m:
            return m[0].strip()
    return "no reason given: see the log"


def run(build, runs, name, dictionary, longest, seeds):
    corpus = os.path.join(build, "corpus", name)
    findings = os.path.join(build, "findings")
    log_path = os.path.join(build, "logs", name)
    for folder in (corpus, findings, os.path.dirname(log_path)):
        os.makedirs(folder, exist_ok=True)
    began = time.monotonic()
    with open(log_path, "wb") as log:
        code = subprocess.call(
            [os.path.join(build, "tests/fuzz/fuzz_" + name), "-runs=%d" % runs,
             "-max_len=" + longest, "-dict=" + os.path.join(HERE, dictionary + ".dict"),
             "-timeout=%d" % SECONDS_AN_INPUT, "-rss_limit_mb=%d" % MEGABYTES,
             "-print_final_stats=1", "-artifact_prefix=%s/%s-" % (findings, name)] +
            PLAIN + [corpus] + seeds,
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    seconds = time.monotonic() - began
    with open(log_path, encoding="utf-8", errors="replace") as f:
        log = f.read()
    done = stat(log, "number_of_executed_units")
    rss = stat(log, "peak_rss_mb")
    print("%-14s %10s %8s %6s MB  %s" % (
        name, "-" if done is None else done,
        "-" if not done else round(done / max(seconds, 0.001)), "-" if rss is None else rss,
        "none" if code == 0 else "1: " + reason(log)), flush=True)
    for path in re.findall(r"Test unit written to (\S+)", log):
        print("%14s kept in %s" % ("", os.path.relpath(path)), flush=True)
    return code == 0


def main():
    if len(sys.argv) < 3 or not sys.argv[2].isdigit():
        print(__doc__.strip(), file=sys.stderr)
        return 2
    build, runs, wanted = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    known = list(targets())
    unknown = set(wanted) - {t[0] for t in known}
    if unknown:
        print("unknown target: %s" % ", ".join(sorted(unknown)), file=sys.stderr)
        return 2
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("%-14s %10s %8s %9s  %s" % ("target", "executions", "a second", "peak RSS", "findings"))
    ok = True
    for t in known:
        if not wanted or t[0] in wanted:
            ok &= run(build, runs, *t)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
