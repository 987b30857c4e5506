#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell record locks --attach on known.c, whose waits are counted at the same time; on a static
program; and on what cannot be looked at.

    attach.py DWELL KNOWN
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402

TIMEOUT_S = 120
NOBODY = 65534


class Files:
    def __init__(self, folder):
        self.seen, self.counted = (os.path.join(folder, n) for n in ("seen.json", "counted.json"))


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)[0]


def rows_of(capture):
    return {r["name"]: r for r in capture["classes"]}


def start(command):
    """A program that says its PID when it is under way."""
    p = subprocess.Popen(command, stdout=subprocess.PIPE)
    return p, p.stdout.readline().decode().strip()


def attach(dwell, *args):
    p = subprocess.run([dwell, "record", "locks", *args], check=False, timeout=TIMEOUT_S,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode(), p.stderr.decode()


def agrees(dwell, known, files):
    """What is estimated beside what is counted; a range misses one time in twenty, hence thrice it."""
    p, pid = start([dwell, "record", "locks", "-o", files.counted, "--", known, "contend"])
    status, out, errors = attach(dwell, "--attach", pid, "--every", "2ms", "-o", files.seen)
    p.stdout.read()
    if p.wait(TIMEOUT_S) or status:
        return "exit %d: %s" % (status, errors)
    row, run = rows_of(load(files.seen))["normal"], load(files.seen)["run"]
    counted = rows_of(load(files.counted))["normal"]
    exact, half = counted["wait_total"], (row["wait_high_ns"] - row["wait_low_ns"]) / 2000
    wrong = []
    if abs(row["wait_total"] - exact) > 3 * half + 0.05 * exact:
        wrong.append("estimated %s +- %s us, counted %s us" % (row["wait_total"], half, exact))
    if row["type"] != "mutex" or row["known"] != {"wait_total": "estimated"}:
        wrong.append("%s" % row)
    absent = [k for k in ("contentions", "acquisitions", "wait_max", "hold_total", "con_bounces")
              if row[k] is not None]
    if absent:
        wrong.append("not absent: %s" % absent)
    if [h["sym"] for h in row["contending_points"]] != ["thread 'known'"]:
        wrong.append("held by %s" % row["contending_points"])
    if run["looks"] < 20 or str(run["pid"]) != pid or "~" not in out:
        wrong.append("%s\n%s" % (run, out))
    return "\n".join(wrong) or None


def often(check, *args):
    """The machine may be busy while threads are looked at: not five times in a row."""
    for _ in range(5):
        problem = check(*args)
        if not problem:
            return None
    return problem


def check_static(dwell, folder, files):
    """Nothing can be preloaded into it; its mutex has a name all the same."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.c")
    program = os.path.join(folder, "static")
    subprocess.run(["cc", "-g", "-O2", "-pthread", "-static", source, "-o", program], check=True)
    p, pid = start([program, "contend"])
    status, out, errors = attach(dwell, "-p", pid, "-d", "700ms", "-o", files.seen)
    p.wait(TIMEOUT_S)
    rows = rows_of(load(files.seen)) if status == 0 else {}
    good = "normal" in rows and rows["normal"]["type"] == "mutex" and "normal" in out
    return None if good else "exit %d: %s%s" % (status, out, errors)


def check_read(dwell, files):
    """What was written is read by the others, and says the same."""
    said = {}
    for command in (["explain"], ["convert", "--to", "json"], ["convert", "--to", "lock_stat"],
                    ["convert", "--to", "csv"], ["diff", files.seen]):
        p = subprocess.run([dwell, *command, files.seen], check=False, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        said[command[0] + command[-1]] = p.stdout.decode()
        if p.returncode:
            return "%s: %s" % (command, p.stdout.decode())
    before, after = load(files.seen), json.loads(said["convertjson"])[0]
    differ = [k for k in before if before[k] != after.get(k)]
    return "differ after convert: %s" % differ if differ else None


def check_interrupted(dwell, known, files):
    p, pid = start([known, "contend"])
    with subprocess.Popen([dwell, "record", "locks", "-p", pid, "-o", files.seen],
                          stdout=subprocess.PIPE) as looking:
        time.sleep(0.5)
        looking.send_signal(signal.SIGINT)
        out = looking.stdout.read().decode()
        status = looking.wait(TIMEOUT_S)
    p.wait(TIMEOUT_S)
    if status or "normal" not in out or "normal" not in rows_of(load(files.seen)):
        return "exit %d: %s" % (status, out)
    return None if p.returncode == 0 else "the program ended with %d" % p.returncode


def check_refused(dwell):
    wrong = []
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
        cases = [(["--attach", str(gone.pid)], 125, "there is no process"),
                 (["--attach", "1", "--", "true"], 2, "not both"),
                 (["--attach", "1", "--stacks"], 2, "does not go with"),
                 (["--duration", "1s", "--", "true"], 2, "goes with --attach"), ([], 2, "no program")]
    for args, want, word in cases:
        status, out, errors = attach(dwell, *args)
        if status != want or word not in errors or out:
            wrong.append("%s: exit %d: %s%s" % (args, status, out, errors))
    return "\n".join(wrong) or None


def as_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def check_other_user(dwell):
    """A process of ours is none of nobody's business."""
    p = subprocess.run([dwell, "record", "locks", "--attach", str(os.getpid())], check=False,
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       preexec_fn=as_nobody)
    if p.returncode == 125 and b"another user's (uid 0)" in p.stderr:
        return None
    return "exit %d: %s" % (p.returncode, p.stderr.decode())


WITH_YAMA = "mount -t tmpfs none /proc/sys/kernel && mkdir /proc/sys/kernel/yama && " \
            "echo 1 > /proc/sys/kernel/yama/ptrace_scope && exec \"$@\""


def check_guarded(dwell, prefix, word):
    """The same user's, but it does not let itself be traced."""
    ready, tell = os.pipe()
    pid = os.fork()
    if not pid:
        as_nobody()  # a change of user without exec: PR_SET_DUMPABLE is off
        os.write(tell, b"x")
        time.sleep(TIMEOUT_S)
        os._exit(0)
    os.read(ready, 1)
    look = ["setpriv", "--reuid=%d" % NOBODY, "--regid=%d" % NOBODY, "--clear-groups", dwell,
            "record", "locks", "--attach", str(pid)]
    said = subprocess.run(prefix + look, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    good = said.returncode == 125 and word in said.stderr
    return None if good else "exit %d: %s" % (said.returncode, said.stderr.decode())


def main():
    dwell, known = (os.path.abspath(p) for p in sys.argv[1:3])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        files = Files(folder)
        tap.case("agrees with what is counted", often(agrees, dwell, known, files))
        tap.case("static program", often(check_static, dwell, folder, files))
        tap.case("read by the other commands", check_read(dwell, files))
        tap.case("interrupted", often(check_interrupted, dwell, known, files))
        tap.case("refused", check_refused(dwell))
        if os.geteuid() or not shutil.which("setpriv") or subprocess.run(
                ["setpriv", "--reuid=%d" % NOBODY, "--clear-groups", dwell, "--version"],
                check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            for name in "another user's", "guarded", "as if under Yama":
                tap.skip(name, "needs root, and a folder that others may enter")
        else:
            tap.case("another user's", check_other_user(dwell))
            tap.case("guarded", check_guarded(dwell, [], b"guards itself"))
            # Only a parent may, as the kernel says: in a namespace, for this one may have no Yama.
            if subprocess.run(["unshare", "-m", "mount", "-t", "tmpfs", "none", "/proc/sys/kernel"],
                              check=False, stderr=subprocess.DEVNULL).returncode:
                tap.skip("as if under Yama", "no mount in a namespace is allowed, or / is none")
            else:
                tap.case("as if under Yama",
                         check_guarded(dwell, ["unshare", "-m", "sh", "-c", WITH_YAMA, "sh"],
                                       b"set kernel.yama.ptrace_scope to 0 (it is 1)"))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
