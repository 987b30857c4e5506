# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints test results in TAP, one line a case, so that meson counts each."""
import sys


class Tap:
    def __init__(self):
        self.n = 0
        self.failed = 0
        # What is compared may hold any bytes.
        for stream in sys.stdout, sys.stderr:
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    def note(self, text, file=None):
        """A diagnostic: every line of it a comment."""
        for line in text.split("\n"):
            print(("# " + line).rstrip(), file=file, flush=True)

    def case(self, name, problem=None):
        """
        One result; problem is None or says what is wrong, in any number of lines. It goes to
        standard error, of which `meson test --print-errorlogs` shows more than of the output.
        """
        self.n += 1
        self.failed += problem is not None
        print("%sok %d - %s" % ("" if problem is None else "not ", self.n, name), flush=True)
        if problem:
            self.note("%s:\n%s" % (name, problem), sys.stderr)

    def skip(self, name, why):
        self.n += 1
        print("ok %d - %s # SKIP %s" % (self.n, name, why), flush=True)

    def finish(self):
        """The plan comes last: a program that died before has none and is no success."""
        print("1..%d" % self.n, flush=True)
        return 1 if self.failed else 0
