# SPDX-License-Identifier: GPL-2.0-or-later
"""ftrace text with full time stamps that is made up: of the kernel, of trace-cmd report, of perf."""
import random

TASKS = [("bash", 1977), ("<idle>", 0), ("<...>", 123456), ("a b:c [d", 27817), ("task-1234", 5),
         ("kworker/u16:2", 77), ("x", 2147483647), ("gnome-terminal-", 4510)]
FUNCTIONS = ["vfs_write", "f", "mutex_unlock", "__do_softirq", "flush_hash_page.isra.0", "0"]
FLAGS = {4: ["....", "d..1", "dNh3"], 5: [".....", "d..2.", "bNs11"], 7: [".......", "d..h1..", "dNLs212"]}


def named(rng):
    comm, pid = rng.choice(TASKS)
    return rng.choice([
        "sched_switch: prev_comm=%s prev_pid=%d prev_prio=120 prev_state=R+ ==> next_comm=x next_pid=1 next_prio=98" % (comm, pid),
        "sched_waking: comm=%s pid=%d prio=120 target_cpu=003" % (comm, pid),
        "contention_begin: 0xff110000037d4478 (flags=SPIN|MUTEX)", "softirq_entry: vec=7 [action=SCHED]",
        "sched_switch: cut off", "tracing_mark_write: B|12|x:y", "tracing_mark_write: one\ntwo = 2\nthree",
        "do_it: one\ntwo",
        "tracing_mark_write: ", "my: (do_open+0x0/0xd6 <- do_sys) a=f:b", ": no symbol", "# 4 buf: 01 02",
        "sys_read(fd: 3, buf: 0x7ffd)", "sys_read -> 0x340", "UNKNOWN TYPE 4", "0xffffffffc044e5dc: text",
        "hda_send_cmd: [0:0] val=e3a019", "event_with_a_name_longer_than_others: a=1"])


def payload(rng, kind):
    what = rng.random()
    if kind == "report":
        if what < 0.3:
            return rng.choice(["function:             f", "function:                f <-- g",
                               "funcgraph_entry:      + 11.008 us  |  f();",
                               "funcgraph_entry:                   |  g() {",
                               "funcgraph_exit:       ! 250.5 us   |  }",
                               "kernel_stack:         <stack trace >\n=> f (ffffffffb58d6b30)\n=> g (ffffffffb58d7303)",
                               "user_stack:           \t=> 0x7fd77245b687\n\t=> 0x0"])
        name, _, text = named(rng).partition(": ")
        return "%-21s %s" % (name + ":", text) if text and name and name[0] != "#" else "x:                    y"
    if kind == "perf":
        name, _, text = named(rng).partition(": ")
        if not name.isidentifier():
            return "250000 cpu-clock:  ffffffff815bc8b8 f+0x38 ([kernel.kallsyms])"
        stack = "\n\tffffffff821facd8 f+0x618 ([kernel.kallsyms])\n" if what < 0.2 else ""
        return "sched:%s: %s%s" % (name, text.replace("\n", " "), stack)
    if what < 0.4:
        return "%s <-%s" % (rng.choice(FUNCTIONS), rng.choice(FUNCTIONS))
    if what < 0.5:
        return rng.choice(["f", "f+0x1/0x2 <-g+0x3/0x4", "f(a=0x1, b=2) <-g",
                           "f <-g (repeats: 12, last_ts:     2.000001)",
                           "<stack trace>\n => f\n => g+0x1/0x2", "<user stack trace>\n => 0x1",
                           "   1408:120:S   + [000]     9:120:R events/0",
                           "   1408:120:S ==> [000]     9:120:R a b"])
    return named(rng)


def stamp(kind, clock, t):
    if clock == "ticks":
        return "%12d" % t
    minus, t = ("-", -t) if t < 0 else ("", t)
    if clock == "ns":
        return "%5s.%09d" % (minus + str(t // 10 ** 9), t % 10 ** 9)
    return "%5s.%06d" % (minus + str(t // 10 ** 6), t % 10 ** 6)


def header(rng, kind):
    if kind == "report":
        return ["cpus=%d" % rng.choice([1, 8])]
    if kind == "perf" or rng.random() < 0.2:
        return []
    return ["# tracer: %s" % rng.choice(["nop", "function", "wakeup"]), "#",
            "# entries-in-buffer/entries-written: %d/%d   #P:4" % (rng.randrange(99), rng.randrange(99)),
            "#", "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION"]


def one(rng):
    kind = rng.choice(["kernel", "kernel", "report", "perf"])
    clock = rng.choice(["us", "us", "us", "ns"] + (["ticks"] if kind == "kernel" else []))
    columns = rng.choice([0, 4, 5, 7]) if clock != "ticks" else 5
    t = rng.choice([0, 5, 10 ** 9, 162573215752]) if clock == "ticks" else rng.choice(
        [-20, 0, 5, 10 ** 9, 162573215752])
    lines = header(rng, kind)
    for _ in range(rng.choice([1, 2, 5, 60])):
        t += rng.choice([0, 1, 1, 17, rng.randrange(10 ** 6)])
        if rng.random() < 0.04:
            lines.append(rng.choice(["[...]", "CPU:1 [LOST 5 EVENTS]", "CPU:1 [LOST EVENTS]", "",
                                     "##### CPU 3 buffer started ####"]))
        comm, pid = rng.choice(TASKS)
        who = "%16s %6d" % (comm, pid) if kind == "perf" else "%16s-%-7d" % (comm, pid)
        tgid = rng.choice(["(-------) ", "(  12345) "]) if kind == "kernel" and rng.random() < 0.3 else ""
        lines.append("%s %s[%03d] %s%s: %s" % (
            who, tgid, rng.choice([0, 1, 1023]), rng.choice(FLAGS[columns]) + " " if columns else "",
            stamp(kind, clock, t), payload(rng, kind)))
    return lines


def made_up(seed):
    rng = random.Random("ftrace %d" % seed)
    lines = one(rng)
    while rng.random() < 0.2:
        lines += ["", "And another one:", "", "--"] + one(rng)
    return "\n".join(lines) + rng.choice(["\n", ""])
