# SPDX-License-Identifier: GPL-2.0-or-later
"""Text of function_graph that is made up, with all its options."""
import random

from ftrace_text import FLAGS

TASKS = [("bash", 1977), ("<idle>", 0), ("<...>", 123456), ("a b-c", 77), ("kworker", 2147483647)]
FUNCTIONS = ["vfs_write", "f", "mutex_unlock", "__do_softirq", "pick_next.isra.0", ".flush_hash_page"]
COMMENTS = ["sched_switch: prev_comm=a b prev_pid=7 ==> next_pid=1", "a remark", "do_irq: a: b | c", "one\n two\n\nthree", ""]
RULE = " ------------------------------------------"


class Graph:
    def __init__(self, rng):
        self.rng = rng
        self.columns = {c: rng.random() < 0.4 for c in ("time", "task", "flags")}
        self.cpu = rng.random() < 0.9
        self.duration = rng.random() < 0.9
        self.flags = FLAGS[rng.choice([4, 5, 7])]
        self.tail = rng.choice([0, 0.2, 1])
        self.now = rng.choice([0, 5, 360774522, 10 ** 12])
        self.running = [TASKS[0], TASKS[1], TASKS[2]]
        self.open = {}  # task and CPU to names

    def prologue(self, cpu):
        out = "%5d.%06d |  " % divmod(self.now, 10 ** 6) if self.columns["time"] else ""
        out += " %d) " % cpu if self.cpu else ""
        if self.columns["task"]:
            out += ("%s-%d" % self.running[cpu]).center(14) + " | "
        return out + (" %s | " % self.rng.choice(self.flags) if self.columns["flags"] else "")

    def cell(self, ns):
        if not self.duration:
            return ""
        if ns is None:
            return "              |  "
        us = "%d.%03d" % (ns // 1000, ns % 1000) if ns < 10 ** 10 else str(ns // 1000)
        us = us[:8].rstrip(".") if ns < 10 ** 10 else us
        return "%s %s us %s|  " % (self.rng.choice(" +!#"), us, " " * (8 - len(us)))

    def call(self, cpu):
        rng, stack = self.rng, self.open.setdefault((cpu, self.running[cpu]), [])
        depth = min(len(stack), 40)
        name, ns, what = rng.choice(FUNCTIONS), rng.choice([None, 0, 541, 11008, 33998590, 3594274000000]), rng.random()
        said = rng.choice(["", "", "", "(a=0x1, b=f(2))"]) or "()"
        if what < 0.35 and depth < 40:
            stack.append(name)
            return self.cell(None) + "  " * depth + name + said + " {" + rng.choice(["", "", " /* <-g+0x1/0x2 */"])
        if what < 0.6:
            return self.cell(ns) + "  " * depth + name + said + ";" + rng.choice(["", "", " /* = -22 */", " /* ret=0x0 */"])
        if what < 0.7:
            return self.cell(None) + "  " * depth + "/* %s */" % rng.choice(COMMENTS)
        closed = stack.pop() if stack else rng.choice(FUNCTIONS + [""])
        notes = [closed] if closed and rng.random() < self.tail else []
        notes += rng.choice([[], [], ["= 0x0"], ["ret=true"]])
        return self.cell(ns) + "  " * max(depth - 1, 0) + "}" + (" /* %s */" % " ".join(notes) if notes else "")

    def switch(self, cpu):
        to = self.rng.choice(TASKS)
        lines = [RULE, " %d) %s => %s" % (cpu, ("%s-%d" % self.running[cpu]).center(14), ("%s-%d" % to).center(14)), RULE, ""]
        self.running[cpu] = to
        return lines

    def line(self):
        rng, cpu = self.rng, self.rng.randrange(3)
        self.now += rng.choice([0, 1, 17, rng.randrange(10 ** 6)])
        if rng.random() < 0.05:
            return [rng.choice(["[...]", "CPU:1 [LOST 5 EVENTS]", "CPU:2 [LOST EVENTS]"])]
        if self.cpu and rng.random() < 0.08:
            return self.switch(cpu)
        if rng.random() < 0.05 and self.duration:
            return [self.prologue(cpu) + rng.choice(["  ==========> |", "  <========== |"])]
        return [self.prologue(cpu) + self.call(cpu)]


def header(rng):
    lines = ["# tracer: function_graph", "#"]
    if rng.random() < 0.2:  # the option latency-format
        lines += ["# function_graph latency trace v1.1.5 on 6.1.0", "# " + "-" * 60,
                  "# latency: 0 us, #%d/%d, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:3)" % (
                      rng.randrange(9), rng.randrange(9)),
                  "#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)", "#"]
    return lines + ["# CPU  DURATION                  FUNCTION CALLS", "# |     |   |                     |   |   |   |"]


def made_up(seed):
    rng = random.Random("graph %d" % seed)
    graph = Graph(rng)
    lines = header(rng) if not graph.cpu or rng.random() < 0.8 else [" 0)               |  first() {"]
    for _ in range(rng.choice([1, 2, 5, 60])):
        lines += graph.line()
    return "\n".join(lines) + rng.choice(["\n", ""])
