#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Tables of locks read the same, whatever was done to their text.

    mangled.py DWELL
    mangled.py --print SEED     prints the made-up table of a seed

For recorded tables and for made-up ones, as kernel/locking/lockdep_proc.c would print them:

- JSON reads back to itself, and explain says the same of it;
- lock_stat text of version 0.4 comes out as it came in, and any other is written once and for all;
- what mails, programs and people do to the text changes nothing that is read.
"""
import concurrent.futures
import html
import json
import os
import quopri
import random
import subprocess
import sys
import textwrap

from tap import Tap

TESTS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(TESTS)
SEEDS = 40
TIMEOUT_S = 60

TITLES = ["con-bounces", "contentions", "waittime-min", "waittime-max", "waittime-total",
          "waittime-avg", "acq-bounces", "acquisitions", "holdtime-min", "holdtime-max",
          "holdtime-total", "holdtime-avg"]
NAMES = ["&rq->__lock", "&(&x->lock)->rlock", "(wq_completion)events", "slock-AF_INET",
         "&type->s_umount_key#21/1", "kn->active#2", "hrtimer_bases.lock#2", "subsys mutex#2",
         "(work_completion)(&(&hub->init_work)->work)", '"warn_unseeded_randomness".lock',
         "&sb->s_type->i_mutex_key#12/4", "a: b", "&per_cpu(lock, cpu)[1]", "x-W", "&mm->mmap_lock"]
SYMBOLS = ["__schedule", "try_to_wake_up", "f.isra.0", "do_page_fault", "pack", "__d_lookup_rcu"]


# -- Tables that are made up ------------------------------------------------------------------

def time_text(ns):
    ns += 5
    return ("%d.%02d" % (ns // 1000, ns % 1000 // 10))[:14]


def numbers(rng, wide, waited):
    count = rng.randrange(1, 10 ** rng.randrange(1, 10)) if waited else 0
    taken = count + rng.randrange(1, 10 ** rng.randrange(1, 12))
    low, high = sorted(rng.randrange(10 ** rng.randrange(2, 9)) for _ in range(2))
    wait, hold = count * (low + high) // 2, taken * (low + high) // 2
    times = [low, high, wait, wait // count] if waited else [0, 0, 0, 0]
    out = "%14d %14d" % (rng.randrange(count + 1), count)
    out += "".join(" %14s" % time_text(t) for t in (times if wide else times[:3]))
    out += " %14d %14d" % (rng.randrange(taken + 1), taken)
    holds = [low, high, hold, hold // taken]
    return out + "".join(" %14s" % time_text(t) for t in (holds if wide else holds[:3]))


def points(rng, name, readers):
    length = len(name) + (2 if readers else 0)
    lines = [" " * (40 - length) + "-" * length]
    for symbol in rng.sample(SYMBOLS, rng.randrange(1, 5)):
        address = "[<%016x>]" % rng.randrange(2 ** 64)
        lines.append("%40s %14d %29s %s+0x%x/0x%x%s" % (
            name, rng.randrange(1, 10 ** 6), address, symbol, rng.randrange(999), 4096,
            rng.choice(["", "", " [nf_conntrack]"])))
    return lines


def made_up(seed):
    rng = random.Random(seed)
    wide = rng.random() < 0.6
    rule = 221 if wide else 191
    titles = TITLES if wide else [t for t in TITLES if not t.endswith("avg")]
    lines = ["lock_stat version " + ("0.4" if wide else rng.choice(["0.2", "0.3"])), "-" * rule,
             "%40s" % "class name" + "".join(" %14s" % t for t in titles), "-" * rule, ""]
    for name in rng.sample(NAMES, rng.randrange(1, 8)):
        waited, readers = rng.random() < 0.6, rng.random() < 0.3
        heads = [("%38s-W:" % name), ("%38s-R:" % name)] if readers else ["%40s:" % name]
        lines += [head + numbers(rng, wide, waited) for head in heads]
        if waited:
            lines += points(rng, name, readers) + points(rng, name, readers)
            lines += ["", "." * rule, ""]
    return "\n".join(lines) + "\n"


# -- What is done to them ---------------------------------------------------------------------

def lines_of(change):
    return lambda text: "".join(change(i, line) + "\n" for i, line in enumerate(text.splitlines(), 1))


def wrapped(width):
    def wrap(_, line):
        parts = textwrap.wrap(line, width, drop_whitespace=False, break_on_hyphens=False,
                              expand_tabs=False, replace_whitespace=False)
        return "\n".join(part.rstrip() if k + 1 == len(parts) else part.rstrip() or part
                         for k, part in enumerate(parts)) or line
    return lines_of(wrap)


def quoted_printable(text):
    return quopri.encodestring(text.encode()).decode()


MANGLERS = {
    "quoted": lines_of(lambda _, line: "> " + line),
    "quoted twice": lines_of(lambda _, line: ">> " + line),
    "cat -n": lines_of(lambda i, line: "%6d\t%s" % (i, line)),
    "grep -n": lines_of(lambda i, line: "%d:%s" % (i, line)),
    "grep -nH": lines_of(lambda i, line: "/proc/lock_stat:%d:%s" % (i, line)),
    "numbers": lines_of(lambda i, line: "  %02d %s" % (i, line)),
    "cat -n, quoted": lines_of(lambda i, line: "> %6d\t%s" % (i, line)),
    "trimmed": lines_of(lambda _, line: line.strip()),
    "one blank": lines_of(lambda _, line: " ".join(line.split())),
    "indented": lines_of(lambda _, line: "    " + line),
    "trailing blanks": lines_of(lambda _, line: line + "  "),
    "CR": lines_of(lambda _, line: line + "\r"),
    "tabs": lines_of(lambda _, line: line.replace("        ", "\t")),
    "no-break spaces": lambda text: text.replace("  ", " \u00a0"),
    "HTML": lambda text: "<html><pre>\n" + html.escape(text) + "</pre></html>\n",
    "quoted-printable": quoted_printable,
    "kernel log": lines_of(lambda i, line: "[%5d.%06d] %s" % (i, i, line)),
    "rules as holes": lines_of(lambda _, line: "..." if line[:9] == "." * 9 else line),
    "wrapped at 72": wrapped(72),
    "wrapped at 78, quoted": lambda text: MANGLERS["quoted"](wrapped(78)(text)),
    "cat -n, wrapped at 76": lambda text: wrapped(76)(MANGLERS["cat -n"](text)),
    "in a mail": lambda text: "Hello,\n\nwith it applied:\n\n" + text + "\nbye\n-- \nme\n",
}


# -- Properties ---------------------------------------------------------------------------------

class Broken(Exception):
    pass


class Dwell:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def run(self, text, *args):
        p = subprocess.run([self.path, *args, "-"], input=text.encode(), timeout=TIMEOUT_S,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if p.returncode or p.stderr:
            raise Broken("%s: exit %d, %s" % (
                " ".join(args), p.returncode, p.stderr.decode(errors="replace").strip()))
        return p.stdout.decode()

    def tables(self, text):
        return json.loads(self.run(text, "convert", "--to", "json"))


def what(tables):
    """Of tables: all but where in a file it stood."""
    out = []
    for table in tables:
        table = {k: v for k, v in table.items() if k not in ("lines", "label")}
        table["classes"] = [{k: v for k, v in row.items() if k != "line"} for row in table["classes"]]
        out.append(table)
    return out


def first_difference(a, b):
    a, b = (json.dumps(x, indent=1, sort_keys=True).splitlines() for x in (a, b))
    for x, y in zip(a, b):
        if x != y:
            return "%s, not %s" % (y.strip(), x.strip())
    return "%d lines of JSON, not %d" % (len(b), len(a))


def same(want, got, name):
    if want != got:
        raise Broken("%s: %s" % (name, first_difference(want, got)))


def check_json(dwell, text):
    printed = dwell.run(text, "convert", "--to", "json")
    same(printed.splitlines(), dwell.run(printed, "convert", "--to", "json").splitlines(), "JSON")
    same(dwell.run(text, "explain").splitlines(), dwell.run(printed, "explain").splitlines(),
         "explain")


def without_comments(text):
    return [line for line in text.splitlines() if not line.startswith("# ")]


def check_text(dwell, text):
    once = dwell.run(text, "convert", "--to", "lock_stat")
    if text.startswith("lock_stat version 0.4"):
        same(text.splitlines(), once.splitlines(), "text of 0.4")
    again = dwell.run(once, "convert", "--to", "lock_stat")
    same(without_comments(once), without_comments(again), "again")


def check_mangled(dwell, text, mangle):
    same(what(dwell.tables(text)), what(dwell.tables(mangle(text))), "mangled")


# -- Cases --------------------------------------------------------------------------------------

def attempt(name, check, *args):
    try:
        check(*args)
    except Broken as e:
        return "%s: %s" % (name, e)
    return None


def inputs():
    folder = os.path.join(TESTS, "recorded")
    names = [n for n in sorted(os.listdir(folder)) if n.startswith("lock_stat")]
    for name in names:
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            yield name, f.read()
    for seed in range(SEEDS):
        yield "seed %d" % seed, made_up(seed)


def main():
    if sys.argv[1] == "--print":
        print(made_up(int(sys.argv[2])), end="")
        return 0
    dwell, tap = Dwell(sys.argv[1]), Tap()
    texts = list(inputs())
    checks = [("JSON and back", check_json, ()), ("lock_stat text and back", check_text, ())]
    checks += [(name, check_mangled, (mangle,)) for name, mangle in MANGLERS.items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, check, more in checks:
            done = pool.map(lambda t, c=check, m=more: attempt(t[0], c, dwell, t[1], *m), texts)
            wrong = [problem for problem in done if problem]
            tap.case(name, "%d of %d:\n%s" % (len(wrong), len(texts), "\n".join(wrong[:5]))
                     if wrong else None)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
