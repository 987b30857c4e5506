#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Bad input: a clear message, what can be read is read, and neither crash, hang nor hunger.

    badinput.py DWELL

Each case has an input, made here, and says what dwell must print, with which exit code, within
which memory. Times are not asserted, but for one limit after which a run counts as hung.
"""
import bz2
import gzip
import lzma
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402

TIMEOUT_S = 120
MEMORY_KB = 400 * 1024  # of a plain build; a sanitizer's shadow is not counted

HEADER = """# tracer: irqsoff
#
# irqsoff latency trace v1.1.5 on 6.1.0
# --------------------------------------------------------------------
# latency: %s us, #%s, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:1)
#    -----------------
#    | task: tool-100 (uid:0 nice:0 policy:0 rt_prio:0)
#    -----------------
#
"""
LINE = "  tool-100       0d..1. %4dus : f%d <-g\n"


def trace(lines=5, latency="100", entries="5/5"):
    return (HEADER % (latency, entries) + "".join(LINE % (i, i) for i in range(lines))).encode()


class Run:
    def __init__(self, dwell, args, data=None, preexec=None):
        p = subprocess.Popen([dwell] + args, stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=preexec)
        try:
            out, err = p.communicate(data, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            err += b"(hung)"
        self.code = p.returncode
        self.out = out.decode("utf-8", "replace")
        self.err = err.decode("utf-8", "replace")


def check(run, code, err=None, out=None):
    """None, or what is wrong."""
    problems = []
    if run.code != code:
        problems.append("exit code %s, not %s" % (run.code, code))
    if err is not None and err not in run.err:
        problems.append("standard error lacks %r" % err)
    if err is None and run.err:
        problems.append("standard error is not empty")
    if out is not None and out not in run.out:
        problems.append("the output lacks %r" % out)
    if problems:
        problems.append("printed: %s\nerrors: %s" % (run.out[:600], run.err[:600]))
    return "\n".join(problems) or None


def peak_kb(dwell, path):
    """Peak resident memory of explaining a file, KiB."""
    with open(os.devnull, "w") as null:
        p = subprocess.Popen([dwell, "explain", path], stdout=null, stderr=null)
        _, _, usage = os.wait4(p.pid, 0)
        p.returncode = 0
    return usage.ru_maxrss


class Bad:
    def __init__(self, dwell, tmp):
        self.dwell, self.tmp, self.tap = dwell, tmp, Tap()

    def path(self, name, data):
        p = os.path.join(self.tmp, name)
        with open(p, "wb") as f:
            f.write(data)
        return p

    def file(self, name, data, code, err=None, out=None):
        """explain and convert of a file."""
        p = self.path(name.replace(" ", "-"), data)
        self.tap.case(name, check(Run(self.dwell, ["explain", p]), code, err, out))
        run = Run(self.dwell, ["convert", "--to", "json", p])
        self.tap.case(name + ", converted", check(run, code, err))

    def plain(self):
        self.file("empty", b"", 1, "is empty: looked for")
        self.file("binary", bytes(range(256)) * 64, 1, "holds nothing that can be read")
        self.file("NUL bytes in a line", trace() + b"  tool-100\0\0 0d..1. 9us : h <-g\n", 0,
                  out="5 entries")
        self.file("NUL bytes everywhere", b"\0" * 100000, 1, "holds nothing")
        self.file("a line of 10 MB", trace() + b"x" * 10000000 + b"\n" + (LINE % (9, 9)).encode(), 0,
                  "1 line could not be read", "6 entries")
        self.file("an entry of 10 MB", trace() + b"  tool-100       0d..1.    9us : " + b"f" * 10000000 +
                  b"\n", 0, "too long")
        self.file("four billion entries promised", trace(entries="4294967296/18446744073709551615"), 0,
                  out="5 of 4,294,967,296 entries")
        self.file("a latency that overflows", trace(latency="99999999999999999999"), 0,
                  "the latency is no number, or does not fit", "5 entries")
        self.file("a latency near the limit", trace(latency="9223372036854775807"), 0, out="5 entries")
        self.file("a negative latency", trace(latency="-5"), 0, out="5 entries")
        self.file("stamps that overflow",
                  trace() + b"  tool-100       0d..1. 99999999999999999999us : h <-g\n", 0, "could not be read")
        self.file("no line end at the end", trace().rstrip(b"\n"), 0, out="5 entries")

    def files(self):
        self.tap.case("a directory", check(Run(self.dwell, ["explain", self.tmp]), 1, "is a directory"))
        missing = os.path.join(self.tmp, "missing")
        self.tap.case("a missing file", check(Run(self.dwell, ["explain", missing]), 1, "No such file"))
        self.no_permission()
        self.changing()

    def no_permission(self):
        p = self.path("locked", trace())
        os.chmod(p, 0)
        if os.getuid() != 0:
            run = Run(self.dwell, ["explain", p])
        else:
            # Root reads everything: become nobody, where the program and the file can be reached.
            shutil.copy(self.dwell, os.path.join(self.tmp, "dwell"))
            os.chmod(self.tmp, 0o755)
            run = Run(os.path.join(self.tmp, "dwell"), ["explain", p], preexec=lambda: os.setuid(65534))
        self.tap.case("no permission", check(run, 1, "Permission denied"))

    def changing(self):
        """A file that is cut while it is read: what was read counts, nothing crashes."""
        p = self.path("changing", trace(200000, latency="200000", entries="200000/200000"))
        stop = threading.Event()

        def cut():
            while not stop.is_set():
                os.truncate(p, 5000)
                with open(p, "ab") as f:
                    f.write(b"  tool-100       0d..1. 77us : grown <-g\n" * 1000)
        t = threading.Thread(target=cut)
        t.start()
        bad = None
        for _ in range(10):
            run = Run(self.dwell, ["explain", p])
            if run.code not in (0, 1) or "hung" in run.err:
                bad = check(run, 0)
        stop.set()
        t.join()
        self.tap.case("a file that changes while it is read", bad)

    def compressed(self):
        whole = trace(2000, latency="2000", entries="2000/2000")
        packed = {"gzip": gzip.compress(whole), "xz": lzma.compress(whole)}
        zstd = shutil.which("zstd")
        if zstd:
            packed["zstd"] = subprocess.run([zstd, "-c"], input=whole, stdout=subprocess.PIPE, check=True).stdout
        else:
            self.tap.skip("zstd", "no zstd program to make one")
        for name, data in packed.items():
            self.file(name, data, 0, out="2,000 entries")
            self.cut_short(name, data)
            self.file(name + ", damaged at once", data[:12] + b"\xff" * 40, 1, name)
        self.file("gzip with something behind it", packed["gzip"] + b"garbage", 0, "damaged after", "2,000 entries")
        self.file("gzip, two members", packed["gzip"] + gzip.compress((LINE % (3000, 3000)).encode()), 0,
                  out="2,001 entries")
        self.file("bzip2", bz2.compress(whole), 1, "bzip2")

    def cut_short(self, name, data):
        """Incompressible entries, so that half of the data holds some of them."""
        p = self.path("cut", data[:len(data) * 9 // 10])
        run = Run(self.dwell, ["explain", p])
        ok = run.code == 0 and "cut short" in run.err or run.code == 1 and name in run.err
        self.tap.case(name + ", cut short", None if ok else check(run, 0, "cut short"))

    def bomb(self):
        """A gigabyte of zeros in a megabyte: little memory, and a plain word."""
        member = gzip.compress(b"\0" * (64 << 20), 9)
        p = self.path("bomb.gz", member * 20)
        self.tap.case("a bomb", check(Run(self.dwell, ["explain", p]), 1, "expands more than"))
        kb = peak_kb(self.dwell, p)
        limit = MEMORY_KB * (4 if b"__asan" in open(self.dwell, "rb").read() else 1)
        self.tap.case("a bomb's memory", None if kb < limit else "%d KiB" % kb)

    def run(self):
        self.plain()
        self.files()
        self.compressed()
        self.bomb()
        return self.tap.finish()


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as tmp:
        return Bad(os.path.abspath(sys.argv[1]), tmp).run()


if __name__ == "__main__":
    sys.exit(main())
