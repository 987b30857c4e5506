#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The line that says how far reading has come: on a terminal alone, and gone at the end.

    progress.py DWELL
"""
import os
import pty
import re
import subprocess
import sys
import time

from tap import Tap

HEADER = b"# tracer: irqsoff\n# latency: 9 us, #3/3, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0)\n"
LINE = b"    a-1       0d..1 %4dus : f <-g\n"
ERASE = "\r\x1b[K"


def run(dwell, slow_s, terminal, term="xterm", out_terminal=False, command=("convert",)):
    """Standard error of an explanation of lines that come slowly; and standard output."""
    master, slave = pty.openpty()
    err = slave if terminal else subprocess.PIPE
    env = dict(os.environ, TERM=term)
    p = subprocess.Popen([dwell, *command], stdin=subprocess.PIPE, stderr=err,
                         stdout=slave if out_terminal else subprocess.PIPE, env=env)
    os.close(slave)
    p.stdin.write(HEADER)
    end, n = time.monotonic() + slow_s, 0
    while time.monotonic() < end or n < 3:
        p.stdin.write(LINE % n)
        p.stdin.flush()
        n += 1
        time.sleep(min(slow_s / 8, 0.2))
    p.stdin.close()
    text = b""
    if terminal or out_terminal:
        while True:
            try:
                got = os.read(master, 65536)
            except OSError:
                break
            if not got:
                break
            text += got
    if not terminal:
        text = p.stderr.read()
    p.wait()
    os.close(master)
    return text.decode(), p.returncode


def main():
    dwell, tap = sys.argv[1], Tap()
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as e:
        tap.skip("progress", "no terminal to be had: %s" % e)
        return tap.finish()
    text, code = run(dwell, 1.6, True)
    shown = re.match(r"(\r\x1b\[K\d\.\d kB, \d\.\d kB/s)+\r\x1b\[K$", text)
    tap.case("shown after a second, and erased", None if shown and code == 0 else repr(text))
    for name, args in (("a quick input", (0, True)), ("no terminal", (1.6, False)),
                       ("a dumb terminal", (1.6, True, "dumb"))):
        text, code = run(dwell, *args)
        tap.case("not shown: " + name, None if not text and code == 0 else repr(text))
    text, code = run(dwell, 1.6, True, "xterm", True)
    tap.case("not shown: results stream to the terminal",
             None if ERASE not in text and code == 0 else repr(text))
    text, code = run(dwell, 1.6, True, "xterm", True, ("explain",))
    before = text.rpartition(ERASE)[0]
    tap.case("erased before a report", None if before.startswith(ERASE) and "\n" not in before
             and "off for 9 us" in text and code == 0 else repr(text))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
