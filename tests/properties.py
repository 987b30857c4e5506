#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What must hold for every trace, recorded or made up.

    properties.py DWELL
    properties.py --print SEED      prints the made-up trace of a seed

- explain: the times of all entries, what is not covered at the head and the tail, and the holes
  add up to the header's latency, and so do the times of the contexts;
- convert --to trace reads back to the same digest and the same events, and converting that again
  changes nothing;
- convert --to jsonl has every entry of the digest;
- inputs that are shuffled, cut, doubled or no text at all neither crash nor hang.
"""
import concurrent.futures
import json
import os
import random
import subprocess
import sys

import ftrace_text
import graph_text
from tap import Tap

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)
SEEDS = 400
BLOCK = 40  # seeds a case
TIMEOUT_S = 10
STEP_NS = 1000

FUNCTIONS = [
    "slob_alloc", "slob_next", "slob_page_alloc", "schedule", "__schedule", "try_to_wake_up",
    "_raw_spin_lock", "_raw_spin_unlock_irqrestore", "preempt_count_add", "trace_hardirqs_on",
    "irq_enter_rcu", "irq_exit_rcu", "handle_softirqs", "__do_softirq", "do_IRQ", "exc_nmi",
    "flush_hash_range", "flush_hash_page.isra.0", ".flush_hash_page", "update_rq_clock.part.1",
    "sysvec_apic_timer_interrupt", "user_trace_start", "a", "0", "x86_pmu_disable",
]
TASKS = [("init", 1), ("<idle>", 0), ("<...>", 123456), ("a b-c", 77), ("kworker/", 12), ("softirq-", 3)]


# -- Traces that are made up -----------------------------------------------------------------

def header(rng, style, latency, cpu, entries):
    p = "" if style == "rt" else "# "
    tracer = "preemption" if style == "rt" else rng.choice(
        ["irqsoff", "preemptoff", "preemptirqsoff", "wakeup_rt", "function"])
    lines = [] if style == "rt" else ["# tracer: %s" % tracer, "#"]
    if rng.random() < 0.9:
        lines.append("%s%s latency trace v1.1.5 on 2.6.21-rt1" % (p, tracer))
        lines.append(p + "-" * 60)
    lines.append("%slatency: %d us, #%d/%d, CPU#%d | (M:%s VP:0, KP:0, SP:0 HP:0%s)" % (
        p, latency, entries, entries + rng.choice([0, 0, 7]), cpu,
        rng.choice(["rt", "preempt", "PREEMPT(lazy)"]), rng.choice(["", " #P:2"])))
    if rng.random() < 0.8:
        lines += [p + "   -----------------",
                  p + "   | task: %s-%d (uid:0 nice:-5 policy:1 rt_prio:80)" % rng.choice(TASKS),
                  p + "   -----------------"]
    if rng.random() < 0.5:
        lines += [p + " => started at: _raw_spin_lock_irqsave+0x1a/0x30",
                  p + " => ended at:   " + rng.choice(["_raw_spin_unlock", "<00000000>", "0"])]
    return lines + [p.rstrip()]


def flags(rng, style, columns):
    deep = ".1234af"
    out = rng.choice("..dDX") + rng.choice("...Nn")
    if columns > 5:
        out += rng.choice("..Ll")
    out += rng.choice("......hhsHzZ") if style != "rt" else rng.choice("....hsH")
    out += rng.choice(deep)
    if columns > 5:
        out += rng.choice(deep)
    return out + (rng.choice("..1") if columns in (5, 7) else "")


def payload(rng, style):
    """The text behind ': ', and lines that follow."""
    kind = rng.random()
    func, caller = rng.choice(FUNCTIONS), rng.choice(FUNCTIONS)
    if style == "rt" and caller == "0":  # "(0)" is a value there
        caller = "a"
    if kind < 0.80:
        if func == "0":
            return "0", []
        offset = rng.choice(["", "", "", "+0x1a/0x30"])
        return (func + offset + (" (%s)" if style == "rt" else " <-%s") % (caller + offset)), []
    if kind < 0.84:
        return func, []
    if kind < 0.88:
        return "sched_stat_runtime: comm=a b pid=%d (x) <-y" % rng.randrange(1000), []
    if kind < 0.92:
        return "%s (%d 1f %d)" % (func, rng.randrange(100), rng.randrange(9999)), []
    if kind < 0.96:
        arrow = rng.choice(["  +", "==>"])
        task = rng.choice(TASKS)
        return "%7d:%3d:%c %s [%03d] %7d:%3d:R %s" % (
            rng.choice(TASKS)[1], rng.randrange(140), rng.choice("RSDT"), arrow, rng.randrange(2),
            task[1], rng.randrange(140), task[0]), []
    return "<stack trace>", [" => " + rng.choice(FUNCTIONS[:6]) for _ in range(rng.randrange(0, 5))]


def stamps(rng, n):
    """Steps of the clock: equal stamps, gaps, now and then backwards."""
    t = rng.choice([0, 0, 1, 3, 42, rng.randrange(100000), -rng.randrange(1, 20)])
    backwards = rng.random() < 0.1
    for _ in range(n):
        yield t
        t += rng.choice([0, 0, 1, 1, 1, 2, 3, 10, rng.randrange(100), rng.randrange(3000)])
        if backwards and rng.random() < 0.1:
            t -= rng.randrange(40)


def made_up(seed):
    rng = random.Random(seed)
    text = one_trace(rng)
    while rng.random() < 0.2:
        text += "\n" + rng.choice(["", "And another one:\n\n", "-- \nme\n\n"]) + one_trace(rng)
    return text


def one_trace(rng):
    style = rng.choice(["mainline", "rt"])
    columns = 4 if style == "rt" else rng.choice([4, 5, 6, 7])
    n, cpu = rng.choice([1, 2, 5, rng.randrange(3, 150)]), rng.choice([0, 1, 11])
    rare = rng.choice([0, 0.02, 0.1])  # of holes, losses and other CPUs
    lines, body, last = [], [], 0
    for t in stamps(rng, n):
        if rng.random() < rare:
            body.append(rng.choice(["[...]", "...", "CPU:%d [LOST %d EVENTS]" % (
                rng.choice([cpu, 5]), rng.randrange(1, 99)), "CPU:%d [LOST EVENTS]" % cpu, ""]))
        task = rng.choice(TASKS) if rng.random() < 0.3 else TASKS[0]
        text, more = payload(rng, style)
        body.append("%8s-%-5d %3d%s %4dus%s: %s" % (
            task[0], task[1], 5 if rng.random() < rare else cpu, flags(rng, style, columns), t,
            rng.choice(" +!"), text))
        body += more
        last = max(last, t)
    latency = max(1, last + rng.choice([0, 0, 1, 50, -5, -last // 2, -last]))
    lines = header(rng, style, latency, cpu, n) + body
    if rng.random() < 0.1:
        lines = ["Hello,", ""] + ["> " + line for line in lines] + ["", "Your words?", "-- ", "me"]
    return "\n".join(lines) + rng.choice(["\n", "\n", ""])


# -- Running ------------------------------------------------------------------------------------

class Dwell:
    def __init__(self, binary):
        self.binary = os.path.abspath(binary)
        self.env = dict(os.environ, LC_ALL="C")
        for san in "ASAN_OPTIONS", "UBSAN_OPTIONS":
            self.env[san] = ":".join(filter(None, ["exitcode=99", self.env.get(san)]))

    def run(self, data, *args):
        """(exit code, output); raises Broken for what must never happen."""
        p = subprocess.Popen([self.binary, *args, "-"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env)
        try:
            out, err = p.communicate(data, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            raise Broken("%s: not finished after %d s" % (" ".join(args), TIMEOUT_S)) from None
        if p.returncode not in (0, 1) or any(
                not line.startswith(b"dwell: ") for line in err.splitlines()):
            raise Broken("%s: exit %d\n%s" % (
                " ".join(args), p.returncode, err.decode("utf-8", "replace")))
        return p.returncode, out

    def json(self, data, *args):
        code, out = self.run(data, *args)
        try:
            return code, json.loads(out)
        except ValueError as e:
            raise Broken("%s: no JSON: %s" % (" ".join(args), e)) from None


UNREAD = "the event's fields are of no form that is known"


class Broken(Exception):
    pass


def same(a, b, what):
    if a != b:
        raise Broken("%s: %s, %s" % (what, json.dumps(a, sort_keys=True), json.dumps(b, sort_keys=True)))


# -- Properties ---------------------------------------------------------------------------------

def rows(report, section, table):
    return [row for s in report["sections"] if s["key"] == section
            for t in s["tables"] if t["key"] == table for row in t["rows"]]


def finding(report, section, key):
    for s in report["sections"]:
        for f in s["findings"]:
            if s["key"] == section and f["key"] == key:
                return f
    return None


def latency_traces(digests):
    """(number, digest) of the captures that are traces in latency format, and hold something."""
    return [(i, d) for i, d in enumerate(digests, 1)
            if d["kind"] == "trace" and d["format"] == "latency" and (d["events"] or d["latency_us"])]


# What convert --to trace writes so that it reads back.
TEXT_FORMATS = ("latency", "default", "trace-cmd", "perf-script", "graph", "latency-graph")


def text_traces(digests):
    return [(i, d) for i, d in enumerate(digests, 1)
            if d["kind"] == "trace" and d["format"] in TEXT_FORMATS and (d["events"] or d["latency_us"])]


def check_sums(dwell, data):
    """How many windows were checked."""
    _, digests = dwell.json(data, "convert", "--to", "json")
    traces = latency_traces(digests)
    if not traces:
        return 0
    _, reports = dwell.json(data, "explain", "--format", "json")
    by_number = {report.get("capture"): report for report in reports}
    checked = 0
    for number, digest in traces:
        report = by_number[number]
        coverage = finding(report, "trust", "coverage")
        if not coverage or digest["latency_us"] is None or not rows(report, "where", "functions"):
            continue
        head, tail, holes, covered = (coverage["facts"][key] for key in (
            "uncovered_head_ns", "uncovered_tail_ns", "holes_ns", "covered_ns"))
        functions = sum(row["total_ns"] or 0 for row in rows(report, "where", "functions"))
        latency = digest["latency_us"] * 1000
        if abs(functions + head + tail + holes - latency) > STEP_NS:
            raise Broken("functions %d + head %d + tail %d + holes %d = %d, latency %d" % (
                functions, head, tail, holes, functions + head + tail + holes, latency))
        same(functions, covered, "times of functions, covered")
        contexts = rows(report, "where", "contexts")
        if contexts:
            same(sum(row["total_ns"] for row in contexts), covered, "times of contexts, covered")
        for key, value in (("head", head), ("tail", tail)):
            if value < 0:
                raise Broken("the uncovered %s is negative: %d" % (key, value))
        if covered > latency and not finding(report, "trust", "backwards"):
            raise Broken("covered %d is more than the window, %d" % (covered, latency))
        checked += 1
    return checked


def facts_of(digests):
    """A digest without the places in the file, and without what could not be read there."""
    out = []
    for _, digest in text_traces(digests):
        digest = {k: v for k, v in digest.items() if k not in ("lines", "damage", "damaged_lines")}
        for end in "first", "last":
            if digest[end]:
                digest[end] = {k: v for k, v in digest[end].items() if k != "line"}
        out.append(digest)
    return out


def events_of(dwell, data, digests):
    """The events of each trace that convert writes as text, and its number."""
    _, out = dwell.run(data, "convert", "--to", "jsonl")
    events, number = {}, 1
    for line in out.splitlines():
        event = json.loads(line)
        number = event.pop("capture", number)
        if event["kind"] != "capture":  # the line that names a capture
            events.setdefault(number, []).append(event)
    return [(events.get(number, []), digest) for number, digest in text_traces(digests)]


def check_events(dwell, before, after):
    """Both are input and its digests: they hold the same events, on whatever lines."""
    for (want, _), (got, _) in zip(events_of(dwell, *before), events_of(dwell, *after)):
        for a, b in zip(want, got):
            same({**a, "line": 0}, {**b, "line": 0}, "event before and after")
        same(len(want), len(got), "events before and after")


def check_convert(dwell, data):
    code, digests = dwell.json(data, "convert", "--to", "json")
    if code or not text_traces(digests):
        return 0
    _, clean = dwell.run(data, "convert", "--to", "trace")
    code, again = dwell.json(clean, "convert", "--to", "json")
    same(code, 0, "exit code for the converted text")
    want, got = facts_of(digests), facts_of(again)
    same(len(want), len(got), "traces before and after")
    for i, (a, b) in enumerate(zip(want, got)):
        for key in a:
            same(a[key], b.get(key), "capture %d, %s, before and after" % (i + 1, key))
        # An event with fields that cannot be read is written as it was.
        unread = [sum(d["why"] == UNREAD for d in text_traces(x)[i][1].get("damage", []))
                  for x in (digests, again)]
        same(unread[0], unread[1], "events whose fields cannot be read, before and after")
        damage = [d for d in again[i].get("damage", []) if d["why"] != UNREAD]
        if damage:
            raise Broken("the converted text has damage: %s" % damage)
    check_events(dwell, (data, digests), (clean, again))
    _, twice = dwell.run(clean, "convert", "--to", "trace")
    if clean != twice:
        a, b = clean.splitlines(), twice.splitlines()
        first = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        raise Broken("converting twice: line %d:\n%r\n%r" % (
            first + 1, a[first:first + 1], b[first:first + 1]))
    return 1


def check_jsonl(dwell, data):
    _, digests = dwell.json(data, "convert", "--to", "json")
    traces = events_of(dwell, data, digests)
    for mine, digest in traces:
        lost = [e["lost"] for e in mine if e["kind"] == "lost"]
        stacks = sum(e["kind"] == "stack" for e in mine)
        switches = sum(e["kind"] == "graph_switch" for e in mine)
        same(digest["events"], len(mine) - len(lost) - stacks - switches, "entries of digest, of jsonl")
        same(digest["stack_traces"], stacks, "stacks of digest, of jsonl")
        if None not in lost:
            same(digest["lost_events"], sum(lost) if lost else None, "lost of digest, of jsonl")
        numbers = [e["line"] for e in mine]
        same(numbers, sorted(numbers), "line numbers in order")
    return len(traces)


# -- Hostile inputs -----------------------------------------------------------------------------

def hostile(rng, data):
    lines = data.splitlines(True)
    what = rng.randrange(7)
    if what == 0:
        rng.shuffle(lines)
        return b"".join(lines)
    if what == 1:
        return data[:rng.randrange(len(data) + 1)]
    if what == 2:
        return data + data[rng.randrange(len(data)):] + data
    if what == 3:
        return b"".join(line * rng.choice([1, 1, 2, 3]) for line in lines)
    if what == 4:
        out = bytearray(data)
        for _ in range(rng.randrange(1, 40)):
            out[rng.randrange(len(out))] = rng.randrange(256)
        return bytes(out)
    if what == 5:  # words exchanged
        words = data.split(b" ")
        for _ in range(rng.randrange(1, 30)):
            i, k = rng.randrange(len(words)), rng.randrange(len(words))
            words[i] = words[k]
        return b" ".join(words)
    digits = [i for i, c in enumerate(data) if 48 <= c <= 57]
    out = data
    for i in sorted(rng.sample(digits, min(3, len(digits))), reverse=True):
        out = out[:i] + str(rng.choice([0, 2 ** 31, 2 ** 63 - 1, 2 ** 64, 10 ** 40])).encode() + out[i:]
    return out


def check_hostile(dwell, data):
    for args in (("explain", "--what-if", "1000000000000", "--budget", "1ns", "--overhead", "1-900%"),
                 ("explain", "--overhead", "150ns", "--budget", "1s"), ("convert", "--to", "jsonl"),
                 ("convert", "--to", "trace")):
        dwell.run(data, *args)
    dwell.json(data, "convert", "--to", "json")
    dwell.json(data, "explain", "--format", "json")


# -- Cases --------------------------------------------------------------------------------------

def read(path):
    with open(path, "rb") as f:
        return f.read()


def files_of(folder):
    return sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".txt"))


def attempt(check, dwell, data, name):
    try:
        return check(dwell, data), None
    except Broken as e:
        return None, "%s: %s" % (name, e)


def file_cases(tap, pool, dwell):
    recorded = files_of(os.path.join(TESTS, "recorded")) + [
        os.path.join(ROOT, "examples", "latency_trace-2.6.21-rt1.txt")]
    jobs = [(name, path, check) for path in recorded for name, check in (
        ("times add up", check_sums), ("convert and back", check_convert), ("jsonl", check_jsonl))]
    done = pool.map(lambda j: attempt(j[2], dwell, read(j[1]), j[1]), jobs)
    for (name, path, _), (found, problem) in zip(jobs, done):
        base = os.path.basename(path)[:-4]
        if problem or found != 0:  # what holds no trace has nothing to add up
            tap.case("%s: %s" % (base, name), problem)


def corpus_cases(tap, pool, dwell):
    corpus = os.environ.get("DWELL_CORPUS") or os.path.join(ROOT, "../shared/corpus")
    if not os.path.isdir(corpus):
        return tap.skip("corpus", "no corpus in " + corpus)
    for folder in "latency_trace_rt", "ftrace", "function_graph", "timerlat_osnoise_hwlat":
        paths = []
        for path in files_of(os.path.join(corpus, folder)):
            code, digests = dwell.json(read(path), "convert", "--to", "json")
            if not code and any(
                    d["kind"] == "trace" and d["format"] in TEXT_FORMATS for d in digests):
                paths.append(path)
        for name, check in (("times add up", check_sums), ("convert and back", check_convert),
                            ("jsonl", check_jsonl)):
            done = pool.map(lambda p, c=check: attempt(c, dwell, read(p), os.path.basename(p)), paths)
            problems = [problem for _, problem in done if problem]
            tap.case("corpus %s, %d files: %s" % (folder, len(paths), name), "\n".join(problems) or None)
    return None


def random_cases(tap, pool, dwell):
    for name, check in (("times add up", check_sums), ("convert and back", check_convert),
                        ("jsonl", check_jsonl)):
        for first in range(0, SEEDS, BLOCK):
            seeds = range(first, first + BLOCK)
            done = list(pool.map(lambda s, c=check: attempt(
                c, dwell, made_up(s).encode(), "seed %d" % s), seeds))
            problems = [problem for _, problem in done if problem]
            if check is check_sums and not problems and sum(n for n, _ in done) < BLOCK // 2:
                problems = ["only %d windows were there to check" % sum(n for n, _ in done)]
            tap.case("made-up traces %d-%d: %s" % (first, first + BLOCK - 1, name),
                     "\n".join(problems[:5]) or None)


def ftrace_cases(tap, pool, dwell, what, make):
    for name, check in (("convert and back", check_convert), ("jsonl", check_jsonl)):
        for first in range(0, SEEDS, BLOCK):
            done = pool.map(lambda s, c=check: attempt(
                c, dwell, make(s).encode(), "seed %d" % s), range(first, first + BLOCK))
            problems = [problem for _, problem in done if problem]
            tap.case("made-up %s %d-%d: %s" % (what, first, first + BLOCK - 1, name),
                     "\n".join(problems[:5]) or None)


# Traces of which little is said.
BARE = {
    "entries alone": "  a-1  0d..1  0us : f <-c\n  a-1  0d..1  3us : g <-c\n",
    "entries alone, -rt": "  a-1  0D..1  0us : f (c)\n  a-1  0D..1  3us : g (1 2)\n",
    "the second without a header": "# tracer: irqsoff\n# latency: 5 us, #1/1, CPU#0\n"
                                   "  a-1  0d..1  0us : f <-c\n-- \nme\n  b-2  1d..1  0us : g <-c\n",
    "half a header": "preemption latency trace v1.1.5 on 2.6\n latency: 5 us, #2/2\n"
                     "    | task: a-1 (uid:0)\n  a-1  0d..1  0us : f (c)\n",
    "ticks": "# tracer: irqsoff\n  a-1  0d..1  2: f <-c\n  a-1  0d..1  7: g <-c\n",
    "a lost notice first, in a graph": "# tracer: function_graph\nCPU:0 [LOST 7 EVENTS]\n 0)   1.5 us |  f();\n",
    "a lost notice first": "# tracer: irqsoff\nCPU:0 [LOST 7 EVENTS]\n[...]\n  a-1  0d..1  0us : f <-c\n",
    "no comm": "# tracer: irqsoff\n#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)\n"
               "# latency: 5 us, #1/1, CPU#0\n        -0   0d..1  0us : f <-c\n",
    "odd bytes": "# tracer: irqsoff\n  \udcff\udc80-1  0d..1  0us : f\udcfe <-c\n",
    "old stack": "# tracer: irqsoff\n  a-1  0d..1  0us : a <= b <= c\n  a-1  0d..1  0us : f <-c\n",
}


def bare_cases(tap, dwell):
    for name, text in BARE.items():
        data = text.encode("utf-8", "surrogateescape")
        for what, check in (("convert and back", check_convert), ("jsonl", check_jsonl)):
            tap.case("%s: %s" % (name, what), attempt(check, dwell, data, name)[1])


def hostile_cases(tap, pool, dwell):
    sources = [read(p) for p in files_of(os.path.join(TESTS, "recorded")) if "lock_stat" not in p]
    sources = [s[:20000] for s in sources] + [made_up(s).encode() for s in range(20)]
    sources += [ftrace_text.made_up(s).encode()[:20000] for s in range(20)]
    sources += [graph_text.made_up(s).encode()[:20000] for s in range(20)]

    def job(seed):
        rng = random.Random("hostile %d" % seed)
        data = hostile(rng, rng.choice(sources)) if seed % 10 else rng.randbytes(rng.randrange(1, 5000))
        return attempt(check_hostile, dwell, data, "hostile %d" % seed)[1]

    for first in range(0, 200, 20):
        problems = [p for p in pool.map(job, range(first, first + 20)) if p]
        tap.case("hostile inputs %d-%d" % (first, first + 19), "\n".join(problems[:5]) or None)
    fixed = {
        "nothing": b"", "one byte": b"\n", "zero bytes": bytes(100000),
        "one long line": b"x" * 3000000, "many quote marks": b">" * 200000 + b" # tracer: x\n",
        "many headers": b"# tracer: irqsoff\n# latency: 5 us, #1/1, CPU#0\n" * 5000,
        "many names": b"".join(b"   a-1  0d..1 %dus : f%d <-g%d\n" % (i, i, i) for i in range(20000)),
        "deep": b"".join(b"   a-1  0d..1 %dus : f%d <-f%d\n" % (i, i + 1, i) for i in range(3000)),
        "many tasks": b"".join(b"   a-%d  0d..1 %dus : f <-g\n" % (i, i) for i in range(5000)),
    }
    for name, data in fixed.items():
        tap.case(name, attempt(check_hostile, dwell, data, name)[1])


def main():
    if sys.argv[1] == "--print":
        sys.stdout.write(made_up(int(sys.argv[2])))
        return 0
    dwell, tap = Dwell(sys.argv[1]), Tap()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        file_cases(tap, pool, dwell)
        corpus_cases(tap, pool, dwell)
        bare_cases(tap, dwell)
        random_cases(tap, pool, dwell)
        ftrace_cases(tap, pool, dwell, "ftrace text", ftrace_text.made_up)
        ftrace_cases(tap, pool, dwell, "function graph", graph_text.made_up)
        hostile_cases(tap, pool, dwell)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
