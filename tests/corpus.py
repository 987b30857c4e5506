#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Scores `dwell convert --to json` against the samples found in the wild, if they are there.

    corpus.py DWELL

$DWELL_CORPUS is their folder, by default ../shared/corpus beside the source tree.
"""
import json
import os
import shlex
import subprocess
import sys
import tempfile

from tap import Tap

# folder, further arguments of score.py, the fraction of fields that must be right
BARS = [
    ("latency_trace_rt", [], 1.0),
    ("lock_stat", [], 1.0),
    ("perf_lock", [], 1.0),
    ("ftrace", [], 1.0),
    ("function_graph", [], 1.0),
    ("timerlat_osnoise_hwlat", [], 1.0),
]

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def sanitizer_reports(folder):
    """What ASan and UBSan wrote; score.py looks at the JSON alone."""
    text = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as f:
            text.append(f.read().rstrip())
    return "\n".join(text)


def score(tap, corpus, dwell, folder, args, bar):
    name = " ".join([folder] + args)
    with tempfile.TemporaryDirectory() as logs:
        env = dict(os.environ, LC_ALL="C.UTF-8")
        for san in "ASAN_OPTIONS", "UBSAN_OPTIONS":
            env[san] = ":".join(filter(None, [env.get(san), "log_path=" + os.path.join(logs, "report")]))
        p = subprocess.run(
            [sys.executable, os.path.join(corpus, "score.py"), os.path.join(corpus, folder),
             "%s convert {file} --to json" % shlex.quote(dwell), "--json"] + args,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
            check=False)
        reports = sanitizer_reports(logs)
    try:
        total = json.loads(p.stdout)["total"]
    except (ValueError, KeyError):
        err = p.stderr.decode("utf-8", "replace").strip()
        return tap.case(name, "score.py: exit %d: %s" % (p.returncode, err))
    if not total["fields"]:
        return tap.case(name, "score.py compared no field")

    got = total["fields_right"] / total["fields"]
    said = "fields %d/%d %.2f %%, files %d/%d; at least %.2f %%" % (
        total["fields_right"], total["fields"], 100 * got, total["files_right"], total["files"],
        100 * bar)
    if reports:
        return tap.case(name, said + "\n" + reports)
    if got < bar:
        return tap.case(name, said)
    tap.case(name)
    return tap.note(said)


def main():
    dwell = os.path.abspath(sys.argv[1])
    corpus = os.path.abspath(os.environ.get("DWELL_CORPUS") or os.path.join(ROOT, "../shared/corpus"))
    here = os.path.exists(os.path.join(corpus, "score.py"))
    tap = Tap()
    for folder, args, bar in BARS:
        if here:
            score(tap, corpus, dwell, folder, args, bar)
        else:
            tap.skip(" ".join([folder] + args), "no corpus in " + corpus)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
