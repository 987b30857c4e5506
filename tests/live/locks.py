#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""dwell record locks on a program with known answers (known.c), on the example, and on programs
that cannot be recorded.

    locks.py DWELL KNOWN WORK_QUEUE
"""
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402

WAIT_US = 30000
TIMEOUT_S = 120

# Case: name and R or W of a row to what its columns must be. A pair is a range; "waits" stands for so
# many waits of WAIT_US.
TAKES = {"acquisitions": 1006, "waits": 3, "failed": 0, "instances": 1}
CASES = {
    "mutex": {"normal": dict(TAKES, type="mutex", waiting="mutex_wait", holding="mutex_take")},
    "kinds": {"recursive": dict(TAKES, acquisitions=1007),
              "checking": dict(TAKES, acquisitions=1007, failed=1),
              "adaptive": TAKES,
              "robust": dict(TAKES, acquisitions=1007),
              "inherit": TAKES},
    "protect": {"protect": dict(TAKES, acquisitions=1009, failed=2, type="mutex"),
                "ceiling": {"acquisitions": 1000, "contentions": 0, "failed": 0}},
    "crowd": {"normal": {"acquisitions": 8000},
              "typed": {"acquisitions": 8000, "failed": 0}},
    "refused": {"normal": {"acquisitions": 1}, "recursive": {"acquisitions": 20}},
    "turns": {"spin": {"acquisitions": 60000}, "rw-W": {"acquisitions": 60000},
              "rw-R": {"acquisitions": 60000}, "normal": {"acquisitions": 20001}},
    "try": {"normal": {"acquisitions": 2, "contentions": 0, "failed": 2, "acq_bounces": 0,
                       "con_bounces": 0}},
    "bounce": {"normal": {"acquisitions": 20, "acq_bounces": 9, "contentions": 0}},
    "hold": {"normal": {"acquisitions": 1, "hold_total": (WAIT_US, 3 * WAIT_US),
                        "hold_min": (WAIT_US, 3 * WAIT_US), "hold_max": (WAIT_US, 3 * WAIT_US)},
             "rw-R": {"acquisitions": 1, "hold_total": (WAIT_US, 20 * WAIT_US)}},
    "destroy": {"mutex made by case_destroy()": {"acquisitions": 1000, "instances": 1000}},
    "rwlock": {"rw-R": {"acquisitions": 1005, "waits": 3, "failed": 2},
               "rw-W": {"acquisitions": 4, "contentions": 0, "failed": 3, "waiting": "rw_read",
                        "holding": "rw_take"}},
    "hand-over": {"rw-W": {"contentions": 3,
                           "pairs": [("rw_look", "rw_take"), ("rw_take", "rw_look")]},
                  "rw-R": {"waits": 3}},
    "spin": {"spin": dict(TAKES, acquisitions=1007, type="spin")},
    "cond": {"cond": {"waits": 3, "failed": 2, "type": "cond"},
             "normal": {"acquisitions": 12, "unmeasured_waits": 5}},
    "sem": {"sem": {"acquisitions": 1003, "waits": 3, "failed": 2, "type": "sem"}},
    "barrier": {"barrier": {"waits": 3, "type": "barrier"}},
    "left-cond": {"mutex made by case_left_cond()": {"acquisitions": 10, "contentions": 0},
                  "cond made by case_left_cond()": {"contentions": 1}},
    "left-barrier": {"mutex made by case_left_barrier()": {"acquisitions": 32, "contentions": 0},
                     "barrier made by case_left_barrier()": {"contentions": (30, 32)}},
    "low": {"mutex made by case_low()": {"acquisitions": 10}},
    "c11": {"mtx": {"acquisitions": 1008, "waits": 3, "failed": 1},
            "cnd": {"contentions": 0, "failed": 1, "type": "cond"}},
    "cnd": {"cnd": {"waits": 4, "failed": 1, "type": "cond"},
            "mtx": {"acquisitions": 14, "contentions": 0, "unmeasured_waits": 5, "failed": 0}},
    "futex": {"word": {"waits": 1, "type": "futex"}},
    "sealed": {"normal": {"acquisitions": 2, "contentions": 1}, "rw-R": {"acquisitions": 1},
               "rw-W": {"acquisitions": 1}, "sem": {"contentions": 1},
               "many[]": {"acquisitions": (240, 256)},
               "run": {"ended_unseen": 0, "locks_lost": (744, 760)}},
    "sealed-by-prctl": {"normal": {"acquisitions": 1}, "many[]": {"acquisitions": (240, 256)},
                        "run": {"ended_unseen": 0}},
    "sealed-thread": {"run": {"processes": 21, "ended_unseen": 0}},
    "sealed-exec": {"normal": {"acquisitions": 10}},
    "sealed-exec-copied": {"normal": {"acquisitions": 10}},
    "no-vdso": {"normal": {"acquisitions": 10}},
    "strict": {"normal": {"acquisitions": 10}},
    "no-tsc": {"normal": {"acquisitions": (10, 30)}},
    "no-tsc-by-syscall": {"normal": {"acquisitions": (10, 30)}},
    "mild": {"many[]": {"acquisitions": 1000}, "normal": {"acquisitions": 1006}},
    "filter-refused": {"many[]": {"acquisitions": 1000}},
    "dispatch": {"many[]": {"acquisitions": (240, 256)}},
    "fork": {"normal": {"acquisitions": 1111}, "run": {"processes": 2}},
    "inherit": {"mutex made by made_before()": {"acquisitions": 10},
                "mutex made by made_after()": {"acquisitions": 4},
                "mutex of case_inherit()": {"acquisitions": 5}},
    "exec": {"normal": {"acquisitions": 1016}, "run": {"processes": 1}},
    "abort": {"normal": {"acquisitions": 10}},
    "none": {"run": {"processes": 1, "ended_unseen": 0}},
    "renew": {"recursive": {"acquisitions": 20, "instances": 1, "acq_bounces": 0},
              "rw-R": {"acquisitions": 20}, "rw-W": {"acquisitions": 20, "acq_bounces": 0}},
    "again": {"mutex made by case_again()": {"acquisitions": 1000, "instances": 1000},
              "mutex made by make()": {"acquisitions": 1000, "instances": 1000}},
    "nested": {"nest[]": {"acquisitions": 4000, "instances": 3, "contentions": 0}},
    "zeroed": {"mutex of take_zeroed()": {"acquisitions": 100, "instances": 10}},
    "dead": {"robust": {"acquisitions": 1, "contentions": 0, "failed": 0}},
    "apart-old": {"rw-R": {"acquisitions": 2003, "waits": 3, "con_bounces": 3}},
    "apart": {"normal": {"acquisitions": 6, "waits": 3, "con_bounces": 3, "acq_bounces": 5}},
    "until": {"normal": {"acquisitions": 12, "waits": 6, "failed": 0},
              "rw-W": {"acquisitions": 18, "waits": 6, "failed": 0},
              "rw-R": {"acquisitions": 6, "waits": 6, "failed": 0},
              "mtx": {"acquisitions": 6, "waits": 3, "failed": 0}},
    "before": {"cond": {"waits": 2, "failed": 0},
               "sem": {"acquisitions": 2, "waits": 2, "failed": 0},
               "normal": {"acquisitions": 6, "unmeasured_waits": 2}},
    "cancel": {"normal": {"acquisitions": 4}},
    "threads": {"normal": {"acquisitions": 2200}},
    "shared": {"mutex made by case_shared()": {"acquisitions": 2, "waits": 1},
               "run": {"processes": 2}},
    "exit": {"normal": {"acquisitions": 20}, "run": {"processes": 2}},
}
# What they count behind a filter takes a clock that is read without a system call.
VDSO_ONLY = ("sealed", "sealed-by-prctl", "sealed-thread", "sealed-exec", "sealed-exec-copied",
             "dispatch")
STATUS = {"abort": 128 + signal.SIGABRT, "exit": 5}


# Of timed.cc: three ways, each with three waits and a holder for each and one more that runs out.
CC = {
    "timed": {"acquisitions": 21, "waits": 9, "failed": 3, "type": "mutex"},
    "again._M_mutex": {"acquisitions": 21, "waits": 9, "failed": 3, "type": "mutex"},
    "shared._M_rwlock-W": {"acquisitions": 33, "waits": 9, "failed": 3},
    "shared._M_rwlock-R": {"acquisitions": 9, "waits": 9, "failed": 3},
    "filled": {"waits": 9, "failed": 3, "type": "cond"},  # destroyed before the end
    "guard": {"unmeasured_waits": (12, 15)},
}


class Recorder:
    def __init__(self, dwell, folder):
        self.dwell = dwell
        self.json = os.path.join(folder, "locks.json")

    def command(self, command, *options):
        return [self.dwell, "record", "locks", *options, "-o", self.json, "--", *command]

    def run(self, command, *options):
        """Exit status, what the program and the report say, warnings, and the capture."""
        if os.path.exists(self.json):
            os.unlink(self.json)
        p = subprocess.run(self.command(command, *options), stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT_S,
                           check=False)
        said = p.stderr.decode().splitlines(keepends=True)
        report = "".join(line for line in said if not line.startswith("dwell: "))
        warnings = "".join(line for line in said if line.startswith("dwell: "))
        return p.returncode, p.stdout.decode() + report, warnings, self.capture()

    def capture(self):
        try:
            with open(self.json, encoding="utf-8") as f:
                return json.load(f)[0]
        except FileNotFoundError:
            return None


def rows_of(capture):
    rows = {r["name"] + ("-" + r["rw"] if r["rw"] else ""): r for r in capture["classes"]}
    rows["run"] = capture["run"]
    return rows


def check_waits(row, n):
    """Columns of n waits of a known length. A busy machine may begin one late, or end it late."""
    low, high = 0.7 * WAIT_US, 20 * WAIT_US
    wrong = [] if row["contentions"] == n else ["contentions: %s, not %d" % (row["contentions"], n)]
    for column in "wait_min", "wait_avg", "wait_max":
        if not low <= (row[column] or 0) <= high:
            wrong.append("%s: %s" % (column, row[column]))
    if not row["wait_min"] <= row["wait_avg"] <= row["wait_max"] <= row["wait_total"]:
        wrong.append("times are not in order")
    if abs(row["wait_total"] - n * row["wait_avg"]) > 1:
        wrong.append("total is not the mean times the number")
    return wrong


def check_row(row, want):
    wrong = []
    for key, value in want.items():
        if key == "waits":
            wrong += check_waits(row, value)
        elif key in ("waiting", "holding"):
            points = row["contention_points" if key == "waiting" else "contending_points"]
            if [p["sym"] for p in points] != [value]:
                wrong.append("%s: %s" % (key, points))
        elif key == "pairs":
            pairs = sorted((p["waiting"]["sym"], p["holding"]["sym"]) for p in row["pairs"])
            if pairs != value:
                wrong.append("pairs: %s" % pairs)
        elif isinstance(value, tuple):
            if not value[0] <= (row[key] or 0) <= value[1]:
                wrong.append("%s: %s" % (key, row[key]))
        elif row.get(key) != value:
            wrong.append("%s: %s, not %s" % (key, row.get(key), value))
    return wrong


def check_sums(capture):
    """What holds for every table: sites and pairs account for every wait."""
    wrong = []
    readers = {r["name"]: r["contentions"] or 0 for r in capture["classes"] if r["rw"] == "R"}
    for r in capture["classes"]:
        if r["rw"] == "R":
            continue
        waits = r["contentions"] + readers.get(r["name"], 0)
        if sum(p["count"] for p in r["contention_points"]) != waits:
            wrong.append("%s: sites do not account for the waits" % r["name"])
        if "pairs" in r and sum(p["waiting"]["count"] for p in r["pairs"]) != waits:
            wrong.append("%s: pairs do not account for the waits" % r["name"])
    return wrong


def check_answers(recorder, command, answers, exits=0):
    status, said, errors, capture = recorder.run(command, "--hold", "all")
    if status == 77:
        return None
    if status != exits or not capture:
        return "exit %d: %s%s" % (status, said, errors)
    rows = rows_of(capture)
    wrong = check_sums(capture)
    for row, want in answers.items():
        wrong += ["%s: %s" % (row, w) for w in (check_row(rows[row], want) if row in rows
                                               else ["no such row among %s" % sorted(rows)])]
    return "\n".join(wrong) or None


def check_case(recorder, known, name):
    return check_answers(recorder, [known, name], CASES[name], STATUS.get(name, 0))


def check_cc(tap, recorder, folder):
    """C++'s waits with an end."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "timed.cc")
    program = os.path.join(folder, "timed")
    if not shutil.which("c++") or subprocess.run(
            ["c++", "-std=c++17", "-O2", "-g", "-pthread", source, "-o", program],
            check=False, stderr=subprocess.DEVNULL).returncode:
        tap.skip("known answers: C++", "cannot be built here")
    else:
        tap.case("known answers: C++", check_answers(recorder, [program], CC))


def check_filtered(recorder, known):
    """What dwell itself is under, as in a container, does not end what it starts."""
    p = subprocess.run([known, "mild-outside", *recorder.command([known, "mild"])],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    rows = rows_of(recorder.capture())
    wrong = [w for row, want in CASES["mild"].items() for w in check_row(rows[row], want)]
    return p.stderr.decode() if p.returncode else "\n".join(wrong) or None


def check_killed(recorder, known):
    with subprocess.Popen(recorder.command([known, "forever"]), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as p:
        p.stdout.readline()
        children = "/proc/%d/task/%d/children" % (p.pid, p.pid)
        with open(children, encoding="ascii") as f:
            os.kill(int(f.read().split()[0]), signal.SIGKILL)
        out = p.stdout.read().decode()
        status = p.wait(TIMEOUT_S)
    if status != 128 + signal.SIGKILL:
        return "exit %d" % status
    if "10 acquisitions" not in " ".join(out.split()):
        return out
    return "\n".join(check_row(rows_of(recorder.capture())["normal"], {"acquisitions": 10})) or None


def check_signals(recorder, known):
    """Nothing is lost or counted twice when handlers come between."""
    _, out, errors, capture = recorder.run([known, "signals"])
    taken, came = (int(n) for n in out.split("\n")[0].split())
    rows = rows_of(capture)
    return "\n".join(check_row(rows["normal"], {"acquisitions": taken}) +
                     check_row(rows["of_handler"], {"acquisitions": came})) or errors or None


def check_many(recorder, known):
    """What the table has no room for is counted, and said."""
    _, out, _, capture = recorder.run([known, "many"])
    lost = capture["run"]["locks_lost"]
    taken = rows_of(capture)["many[]"]["acquisitions"]
    if not lost or taken + lost != 20000 or "had no room in the table" not in " ".join(out.split()):
        return "%s acquisitions, %s lost\n%s" % (taken, lost, out)
    return None


PLUG = """
#include <pthread.h>
static pthread_mutex_t plug_mutex = PTHREAD_MUTEX_INITIALIZER;
void plug_take(void);
void plug_take(void) { pthread_mutex_lock(&plug_mutex); pthread_mutex_unlock(&plug_mutex); }
"""
PLUGGED = """
#include <dlfcn.h>
int main(int argc, char **argv)
{
	for (int i = 0; i < 20 && argc == 2; i++) {
		void *plug = dlopen(argv[1], RTLD_NOW);
		((void (*)(void))dlsym(plug, "plug_take"))();
		dlclose(plug);
	}
}
"""


def compiled(folder, name, text, *flags, compiler="cc"):
    """The path of a program; None: it cannot be built here."""
    source, program = (os.path.join(folder, name + e) for e in (".c", ".bin"))
    with open(source, "w", encoding="ascii") as f:
        f.write(text)
    if not shutil.which(compiler):
        return None
    built = subprocess.run([compiler, *flags, source, "-o", program], check=False,
                           stderr=subprocess.DEVNULL)
    return program if built.returncode == 0 else None


def check_plug(recorder, folder):
    """Code that comes and goes: its lock and its site are named all the same."""
    plug = compiled(folder, "plug", PLUG, "-g", "-shared", "-fPIC")
    program = compiled(folder, "plugged", PLUGGED)
    _, _, errors, capture = recorder.run([program, plug])
    if errors or not capture:
        return errors
    rows = rows_of(capture)
    wrong = check_row(rows["plug_mutex"], {"acquisitions": 20}) if "plug_mutex" in rows \
        else ["no plug_mutex among %s" % sorted(rows)]
    return "\n".join(wrong) or None


def check_pass_through(dwell, known, folder):
    """Where nothing can be counted, the program runs as it would: no folder, and files that must not
    be as large (where to make one too large is answered by a signal)."""
    library = os.path.join(os.path.dirname(dwell), "preload", "libdwell-locks.so")
    env = dict(os.environ, LD_PRELOAD=library)
    wrong = []
    for where, limit in (os.path.join(folder, "none"), None), (folder, 4096):
        def small_files(limit=limit):
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        for case in "kinds", "fork":
            p = subprocess.run([known, case], env=dict(env, DWELL_LOCKS=where), check=False,
                               preexec_fn=small_files, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=TIMEOUT_S)
            if p.returncode or p.stdout:
                wrong.append("%s, %s: exit %d: %s" % (case, limit, p.returncode, p.stdout.decode()))
    wrong += [f for f in os.listdir(folder) if f.endswith(".locks")]
    return "\n".join(wrong) or None


def check_address_space(recorder, known):
    """Under a narrow limit the program has all of it, and that it was not counted is said; with its
    parent, which was; and so is a child that has its parent's place."""
    wrong = []
    for kb, missing, processes in (100000, 1, 1), (4000000, 0, 2):
        script = "ulimit -v %d; %s room; true" % (kb, known)
        status, out, errors, capture = recorder.run(["sh", "-c", script])
        run = capture["run"]
        if status or "room: 1" not in out or run["processes"] != processes or \
                run["processes_lost"] != missing or bool(missing) != ("ulimit -v" in errors):
            wrong.append("%d KB: exit %d, %s\n%s%s" % (kb, status, run, out, errors))
    limited = ["prlimit", "--as=100000000", known, "fork"]
    if shutil.which("prlimit"):
        status, out, errors, capture = recorder.run(limited)
        if status or capture["run"]["processes_lost"] != 2 or "ulimit -v" not in errors:
            wrong.append("fork: exit %d, %s\n%s%s" % (status, capture["run"], out, errors))
    return "\n".join(wrong) or None


def check_follow(recorder, known):
    _, _, errors, capture = recorder.run([known, "exec"], "--no-follow")
    if not capture:
        return errors
    wrong = check_row(rows_of(capture)["normal"], {"acquisitions": 10})
    _, _, errors, capture = recorder.run([known, "fork"], "--no-follow")
    if not capture or capture["run"]["processes"] != 2:
        wrong.append("fork: %s%s" % (capture and capture["run"], errors))
    for others in "libm.so.6:libc.so.6", "libm.so.6", "":
        p = subprocess.run(["env", "LD_PRELOAD=" + others,
                            *recorder.command(["sh", "-c", "echo $LD_PRELOAD"], "--no-follow")],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if p.stdout.decode() != others + "\n":
            wrong.append("LD_PRELOAD %s: %s" % (others, p.stdout))
    return "\n".join(wrong) or None


def check_split(recorder, known, folder):
    """One table for each process, in the order of their start; the sum of them is the other's."""
    script = os.path.join(folder, "two.sh")
    with open(script, "w", encoding="ascii") as f:
        f.write("%s try\n%s destroy\n" % (known, known))
    _, out, errors, _ = recorder.run(["sh", script], "--split")
    with open(recorder.json, encoding="utf-8") as f:
        tables = json.load(f)
    labels = [re.sub(r"\d+", "N", t["label"]) for t in tables]
    taken = [sum(r["acquisitions"] for r in t["classes"]) for t in tables]
    wrong = [] if labels == ["sh (process N)", "known (process N)", "known (process N)"] \
        else ["labels %s%s" % (labels, errors)]
    if taken != [0, 2, 1000] or any(t["run"]["processes"] != 1 for t in tables):
        wrong.append("acquisitions %s" % taken)
    pids = [t["run"]["pid"] for t in tables]
    if len(set(pids)) != 3 or any("(process %d)" % p not in out for p in pids):
        wrong.append("pids %s\n%s" % (pids, out))
    status = recorder.run(["true"], "--follow", "--no-follow")[0]
    if status != 2:
        wrong.append("--follow and --no-follow: exit %d" % status)
    return "\n".join(wrong) or None


def check_modes(recorder, known):
    """Holds are sampled, and said to be, or absent."""
    row = rows_of(recorder.run([known, "mutex"])[3])["normal"]
    sampled = {"acq_bounces"} | {"hold_" + k for k in ("min", "max", "total", "avg")}
    wrong = [] if row["known"] == {k: "sampled" for k in sampled} else ["known: %s" % row["known"]]
    row = rows_of(recorder.run([known, "cond"])[3])["normal"]
    if "known" in row or row["hold_total"] is None:
        wrong.append("a lock that is taken 12 times: %s" % row)
    row = rows_of(recorder.run([known, "mutex"], "--hold", "none")[3])["normal"]
    if any(row["hold_" + k] is not None for k in ("min", "max", "total", "avg")):
        wrong.append("holds that nobody timed: %s" % row)
    return "\n".join(wrong) or None


def check_foreign(recorder):
    """Files that are none of the library's are said, and are in nobody's way."""
    script = "cd $DWELL_LOCKS; echo x > x.locks; ln -s /etc/passwd y.locks; mkfifo z.locks; exit 3"
    status, _, errors, capture = recorder.run(["sh", "-c", script])
    good = status == 3 and "counts of some processes are missing" in errors and \
        capture["run"]["processes"] == 3  # sh, ln and mkfifo
    return None if good else "exit %d: %s" % (status, errors)


def check_stacks(recorder, known):
    """Every wait has a stack, from the site that waits out to main; a wait by pthread_cond_wait, too."""
    wrong = []
    for case, row, waits, site in (("mutex", "normal", 3, "mutex_wait"), ("cond", "cond", 3, None)):
        _, out, errors, capture = recorder.run([known, case], "--stacks")
        if not capture:
            return errors
        row = rows_of(capture)[row]
        stacks = row.get("stacks", [])
        frames = [[f["sym"] for f in s["frames"]] for s in stacks]
        if sum(s["waits"] for s in stacks) != waits or row["contentions"] != waits:
            wrong.append("%s: %s of %s waits have a stack" % (case, stacks, row["contentions"]))
        if abs(sum(s["wait_ns"] for s in stacks) - 1000 * float(row["wait_total"])) > 10:
            wrong.append("%s: waits of %s ns, in all %s us" % (case, stacks, row["wait_total"]))
        if site and not all(f[0] == site and "main" in f for f in frames):
            wrong.append("%s: frames %s" % (case, frames))
        if capture["run"]["stacks_lost"] != 0:
            wrong.append("%s: lost %s" % (case, capture["run"]["stacks_lost"]))
        if site and ("CALLS THAT LED" not in out or "main known.c:" not in out):
            wrong.append(out)
    if "stacks" in rows_of(recorder.run([known, "mutex"])[3])["normal"]:
        wrong.append("stacks that nobody asked for")
    return "\n".join(wrong) or None


def check_round_trip(recorder, known, dwell):
    """convert of what was written is what was written; explain says what record said."""
    _, said, _, before = recorder.run([known, "rwlock"], "--stacks")
    after = json.loads(subprocess.run([dwell, "convert", recorder.json], check=True,
                                      stdout=subprocess.PIPE).stdout)[0]
    differ = [k for k in before if k != "lines" and before[k] != after.get(k)]
    if differ:
        return "differ after convert: %s" % ", ".join(differ)
    explained = subprocess.run([dwell, "explain", recorder.json], check=True,
                               stdout=subprocess.PIPE).stdout.decode()
    return None if said == explained else "record said\n%s\nexplain says\n%s" % (said, explained)


def check_unseen(recorder, known):
    """What a program became without our environment is not counted, and that is said."""
    wrong = []
    killed = "%s forever | { read line; kill -9 $(cut -d' ' -f1 /proc/$$/task/$$/children); }" % known
    for command in ["env", "-i", known, "mutex"], ["sh", "-c", killed]:
        _, out, _, capture = recorder.run(command)
        if capture["run"]["ended_unseen"] != 1 or "1 process ended unseen" not in out:
            wrong.append("%s: %s\n%s" % (command, capture["run"], out))
    return "\n".join(wrong) or None


def check_left(recorder, folder):
    """A process that runs on, and took no lock yet, is told of."""
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    _, out, _, capture = recorder.run(["sh", "-c", "{ read line; } >/dev/null 2>&1 <%s & exit 0" % fifo])
    with open(fifo, "w", encoding="ascii") as f:
        f.write("end\n")
    good = capture["run"]["still_running"] == 1 and "1 process ran on" in out
    return None if good else "%s\n%s" % (capture["run"], out)


def check_text(recorder, known, dwell):
    """The file as text of lock_stat, which convert reads: the same locks, taken as often."""
    p = subprocess.run(recorder.command([known, "mutex"], "--to", "lock_stat"), check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TIMEOUT_S)
    read = subprocess.run([dwell, "convert", recorder.json], check=True, stdout=subprocess.PIPE)
    table = json.loads(read.stdout)[0]
    taken = rows_of(table)["normal"]["acquisitions"]
    good = not p.returncode and table["source"] == "program" and \
        taken == CASES["mutex"]["normal"]["acquisitions"]
    return None if good else "exit %d, %s: %s acquisitions" % (p.returncode, table["source"], taken)


def check_repeat(recorder, known):
    recorder.run([known, "mutex"], "--repeat", "2")
    with open(recorder.json, encoding="utf-8") as f:
        tables = json.load(f)
    taken = [rows_of(t)["normal"]["acquisitions"] for t in tables]
    return None if taken == [1006, 1006] else "acquisitions: %s" % taken


def check_interval(recorder, known):
    """The differences add up to what is said at the end."""
    status, out, errors, _ = recorder.run([known, "mutex"], "--interval", "40ms")
    said = [int(n.replace(",", "")) for n in re.findall(r"([\d,]+)\s+acquisitions;", out)]
    if status or len(said) < 2 or sum(said[:-1]) > said[-1] or said[-1] != 1006:
        return "acquisitions: %s\n%s%s" % (said, out, errors)
    return None


def check_status(recorder):
    wrong = []
    for command, want in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -TERM $$"], 143),
                          (["./no-such-program"], 125)):
        status = recorder.run(command)[0]
        if status != want:
            wrong.append("%s: exit %d" % (" ".join(command), status))
    return "\n".join(wrong) or None


def refused(recorder, program, word):
    status, out, errors, _ = recorder.run([program])
    return None if status == 125 and word in errors and not out \
        else "%s: exit %d: %s%s" % (word, status, out, errors)


def check_refused(tap, recorder, folder):
    """Programs that cannot be recorded: 125, and what else would work."""
    text = "int main(void) { return 0; }\n"
    for word, compiler, flags in (("statically", "cc", ["-static"]), ("musl", "musl-gcc", []),
                                  ("ThreadSanitizer", "cc", ["-fsanitize=thread"]),
                                  ("AddressSanitizer", "cc", ["-fsanitize=address"]),
                                  ("MemorySanitizer", "clang", ["-fsanitize=memory"])):
        program = compiled(folder, word, text, *flags, compiler=compiler)
        if program:
            tap.case("refused: " + word, refused(recorder, program, word))
        else:
            tap.skip("refused: " + word, "cannot be built here")
    if os.geteuid() != 0:
        tap.skip("refused: setuid", "only root can make one of another user")
        return
    program = compiled(folder, "setuid", text)
    os.chown(program, 65534, 65534)
    os.chmod(program, 0o4755)
    tap.case("refused: setuid", refused(recorder, program, "changes its user"))


def debug_file(program, folder):
    """What separate debug files are found by: a link beside the program (.debug)."""
    debug = os.path.join(folder, ".debug", os.path.basename(program) + ".debug")
    os.makedirs(os.path.dirname(debug), exist_ok=True)
    for command in (["objcopy", "--only-keep-debug", program, debug], ["strip", program],
                    ["objcopy", "--add-gnu-debuglink=" + debug, program]):
        subprocess.run(command, check=True)


# How a program is compiled, and what is done to it then; what its sites look like.
LINES = ("mutex_wait", " known.c:")
SITES = [
    (["cc", "-g"], None, LINES),
    (["cc", "-g", "-no-pie"], None, LINES),
    (["clang", "-g"], None, LINES),  # without .debug_aranges
    (["clang", "-gdwarf-4"], None, LINES),
    (["cc", "-g"], debug_file, LINES),
    (["cc"], None, ("mutex_wait", "+0x")),
    (["cc", "-s"], None, ("[compiled+0x", "")),
]


def check_sites(recorder, folder, compiler, after, want):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.c")
    program = os.path.join(folder, "compiled")
    subprocess.run([*compiler, "-O2", "-pthread", source, "-o", program], check=True)
    if after:
        after(program, folder)
    _, _, errors, capture = recorder.run([program, "mutex"])
    if not capture:
        return errors
    points = [p for r in capture["classes"] for p in r["contention_points"]]
    found = [p["sym"] + p.get("suffix", "") for p in points]
    good = len(points) == 1 and points[0]["sym"].startswith(want[0]) and want[1] in found[0]
    return None if good else "sites: %s" % found


def check_example(recorder, dwell, work_queue, folder):
    """The hot lock and its two sites are named, and the repair is seen."""
    status, out, errors, base = recorder.run([work_queue])
    if status:
        return errors
    names = {r["name"]: r for r in base["classes"]}
    wrong = []
    if set(names) != {"queue.lock", "map.shards[].mu"}:
        return "classes: %s" % set(names)
    # Which of them costs more waiting is the scheduler's affair on a busy machine.
    if "queue.lock" not in out or not ("push work-queue.c:" in out or "pop work-queue.c:" in out):
        wrong.append(out)
    pairs = names["queue.lock"]["pairs"]
    if names["queue.lock"]["contentions"] > 20 and \
            not any(p["holding"]["sym"] == "push" for p in pairs):
        wrong.append("pairs: %s" % pairs)
    before = os.path.join(folder, "before.json")
    os.rename(recorder.json, before)
    recorder.run([work_queue, "--fixed"])
    diff = subprocess.run([dwell, "diff", "--class", "queue.lock", before, recorder.json],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = diff.stdout.decode()
    if diff.returncode or "hold, mean" not in text or "/ " not in text:
        wrong.append("diff: %s" % text)
    # A holder that loses its CPU for long spoils a mean: not three times in a row.
    means = []
    for _ in range(3):
        pair = []
        for flags in [], ["--fixed"]:
            recorder.run([work_queue] + flags)
            pair += [r["hold_avg"] for r in recorder.capture()["classes"] if r["name"] == "queue.lock"]
        means.append(pair)
        if pair[1] < pair[0] / 2:
            break
    else:
        wrong.append("mean holds before and after: %s" % means)
    return "\n".join(wrong) or None


def clock_source():
    try:
        with open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  encoding="ascii") as f:
            return f.read().strip()
    except OSError:
        return "unknown"


def main():
    dwell, known, work_queue = (os.path.abspath(p) for p in sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(dwell, folder)
        clock = clock_source()
        for name in CASES:
            if name in VDSO_ONLY and clock not in ("tsc", "arch_sys_counter"):
                tap.skip("known answers: " + name, "the clock source is " + clock)
            else:
                tap.case("known answers: " + name, check_case(recorder, known, name))
        check_cc(tap, recorder, folder)
        tap.case("under a filter", check_filtered(recorder, known))
        tap.case("killed", check_killed(recorder, known))
        tap.case("--no-follow", check_follow(recorder, known))
        tap.case("--hold sample and none", check_modes(recorder, known))
        tap.case("--split", check_split(recorder, known, folder))
        tap.case("files of others", check_foreign(recorder))
        tap.case("--stacks", check_stacks(recorder, known))
        tap.case("written and read", check_round_trip(recorder, known, dwell))
        tap.case("ended unseen", check_unseen(recorder, known))
        tap.case("left behind", check_left(recorder, folder))
        tap.case("written as text, and read", check_text(recorder, known, dwell))
        tap.case("--repeat", check_repeat(recorder, known))
        tap.case("--interval", check_interval(recorder, known))
        tap.case("exit status", check_status(recorder))
        tap.case("signals", check_signals(recorder, known))
        tap.case("more locks than there is room for", check_many(recorder, known))
        tap.case("a library that comes and goes", check_plug(recorder, folder))
        tap.case("where nothing can be counted", check_pass_through(dwell, known, folder))
        tap.case("a limited address space", check_address_space(recorder, known))
        check_refused(tap, recorder, folder)
        for compiler, after, want in SITES:
            name = "sites of %s%s" % (" ".join(compiler), ", a debug file" if after else "")
            if shutil.which(compiler[0]):
                tap.case(name, check_sites(recorder, folder, compiler, after, want))
            else:
                tap.skip(name, "no " + compiler[0])
        tap.case("the example", check_example(recorder, dwell, work_queue, folder))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
