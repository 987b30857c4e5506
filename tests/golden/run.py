#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Golden cases: a command, and what it must print.

    run.py [--dwell BINARY] [--update] [CASE...]

A case is a folder tests/golden/CASE with

    cmd      one line for the shell, run inside the folder; $DWELL is the binary
    expect   its standard output   (absent: none)
    stderr   its standard error    (absent: none)
    exit     its exit code         (absent: 0)
    needs    paths, one a line, relative to the folder or with $VARIABLES: unless all of them
             exist, the case is skipped

Inputs lie in the folder or elsewhere: ../../../examples/, $RECORDED (tests/recorded), $CORPUS
($DWELL_CORPUS, by default ../shared/corpus beside the source tree). These two are relative
paths, so that a file name in the output is the same everywhere. $TMPDIR is a fresh folder.

--update writes what the commands print now into the cases; read the diff before you commit it.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import signal
import subprocess
import sys
import tempfile

GOLDEN = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(GOLDEN)
ROOT = os.path.dirname(TESTS)
TIMEOUT_S = 120

sys.path.insert(0, TESTS)
from tap import Tap  # noqa: E402


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return b""


def write(path, data):
    """The file, or no file where there is nothing to say."""
    if data:
        with open(path, "wb") as f:
            f.write(data)
    elif os.path.exists(path):
        os.unlink(path)


def environment(folder, dwell, tmp):
    env = {k: v for k, v in os.environ.items()
           if k not in ("NO_COLOR", "COLUMNS", "LINES", "PAGER") and not k.startswith("LC_")}
    corpus = os.environ.get("DWELL_CORPUS") or os.path.join(ROOT, "../shared/corpus")
    env.update(
        DWELL=dwell,
        RECORDED=os.path.relpath(os.path.join(TESTS, "recorded"), folder),
        CORPUS=os.path.relpath(os.path.abspath(corpus), folder),
        DWELL_CORPUS=os.path.abspath(corpus),
        TMPDIR=tmp, LC_ALL="C", TERM="dumb", TZ="UTC")
    # No exit code of ours, so that a case that expects a failure does not take it for one.
    env["ASAN_OPTIONS"] = ":".join(filter(None, ["exitcode=99", os.environ.get("ASAN_OPTIONS")]))
    return env


def unmet_need(folder, env):
    """The first path of `needs` that does not exist, as it is written there; or None."""
    for line in read(os.path.join(folder, "needs")).decode().splitlines():
        path = re.sub(r"\$(\w+|\{\w+\})", lambda m: env.get(m[1].strip("{}"), ""), line.strip())
        if path and not os.path.exists(os.path.join(folder, path)):
            return line.strip()
    return None


def run_case(name, dwell):
    """('skip', why), ('broken', why) or ('ran', {file: bytes})"""
    folder = os.path.join(GOLDEN, name)
    command = read(os.path.join(folder, "cmd")).decode()
    if not command.strip():
        return "broken", "no file 'cmd'"
    with tempfile.TemporaryDirectory() as tmp:
        env = environment(folder, dwell, tmp)
        need = unmet_need(folder, env)
        if need:
            return "skip", "needs " + need
        with subprocess.Popen(["/bin/sh", "-c", command], cwd=folder, env=env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, start_new_session=True) as p:
            try:
                out, err = p.communicate(timeout=TIMEOUT_S)
            except subprocess.TimeoutExpired:
                os.killpg(p.pid, signal.SIGKILL)
                return "broken", "not finished after %d s" % TIMEOUT_S
    code = b"%d\n" % p.returncode if p.returncode else b""
    return "ran", {"expect": out, "stderr": err, "exit": code}


def diff(name, want, got):
    def lines(data):
        text = data.decode("utf-8", "backslashreplace")
        if text and not text.endswith("\n"):
            text += "\n\\ no newline at the end\n"
        return text.splitlines(True)

    return "".join(difflib.unified_diff(lines(want), lines(got), name, "printed")).rstrip("\n")


def compare(name, got):
    """None, or unified diffs."""
    diffs = []
    for file, data in got.items():
        want = read(os.path.join(GOLDEN, name, file))
        if file == "exit":
            want = b"%d\n" % int(want or 0) if int(want or 0) else b""
        if want != data:
            if file == "exit":
                diffs.append("exit code: expected %s, got %s" % (
                    want.decode().strip() or "0", data.decode().strip() or "0"))
            else:
                diffs.append(diff("%s/%s" % (name, file), want, data))
    return "\n".join(diffs) or None


def main():
    ap = argparse.ArgumentParser(description="run the golden cases of tests/golden")
    ap.add_argument("--dwell", default=os.path.join(ROOT, "build", "dwell"), help="the binary (build/dwell)")
    ap.add_argument("--update", action="store_true", help="write what is printed now into the cases")
    ap.add_argument("case", nargs="*", help="only these")
    a = ap.parse_args()
    dwell = os.path.abspath(a.dwell)
    names = [os.path.basename(os.path.normpath(c)) for c in a.case] or sorted(
        e.name for e in os.scandir(GOLDEN) if e.is_dir() and e.name != "__pycache__")

    tap = Tap()
    if not names:
        tap.skip("golden cases", "none yet")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (state, result) in zip(names, pool.map(lambda n: run_case(n, dwell), names)):
            if state == "skip":
                tap.skip(name, result)
            elif state == "broken":
                tap.case(name, result)
            elif a.update:
                for file, data in result.items():
                    write(os.path.join(GOLDEN, name, file), data)
                tap.case(name)
            else:
                tap.case(name, compare(name, result))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
