#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes what ftrace would record of two CPUs that serve requests, for tests that know the truth: a
request copies some pages in a loop, sleeps and unlocks. The same run gives the same bytes.

    call_trace.py graph|bare|untimed|closings|function [option...]

graph has stamps (funcgraph-abstime), bare none, untimed no durations, closings only the ends of
calls of 10 us and more (tracing_thresh); function is what the function tracer writes, with the
events of the scheduler among it.
"""
import argparse
import random

GRAPH_HEAD = """# tracer: function_graph
#
#     TIME        CPU  DURATION                  FUNCTION CALLS
#      |          |     |   |                     |   |   |   |
"""
BARE_HEAD = """# tracer: function_graph
#
# CPU  DURATION                  FUNCTION CALLS
# |     |   |                     |   |   |   |
"""
UNTIMED_HEAD = """# tracer: function_graph
#
# CPU  FUNCTION CALLS
# |     |   |   |
"""
FUNCTION_HEAD = """# tracer: function
#
# entries-in-buffer/entries-written: %d/%d   #P:2
#
#                                _-----=> irqs-off/BH-disabled
#                               / _----=> need-resched
#                              | / _---=> hardirq/softirq
#                              || / _--=> preempt-depth
#                              ||| / _-=> migrate-disable
#                              |||| /     delay
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
"""


class Cpu:
    """One CPU: its clock in ns, and what was called on it: (begin, end, depth, name, caller)."""

    def __init__(self, args, number):
        self.args, self.number = args, number
        self.rng = random.Random(args.run * 2 + number)
        self.now = 10_000_000_000 + number * 1_700
        self.calls, self.events, self.stack = [], [], []

    def spend(self, ns):
        self.now += max(1, round(ns * self.rng.gauss(1, self.args.noise)))

    def call(self, name, own, *inside):
        caller = self.stack[-1] if self.stack else "ksys_read"
        begin, depth, place = self.now, len(self.stack), len(self.calls)
        self.calls.append(None)
        self.stack.append(name)
        self.spend(own / 2)
        for step in inside:
            step()
        self.spend(own / 2)
        self.stack.pop()
        self.calls[place] = (begin, self.now, depth, name, caller, len(self.calls) == place + 1)

    def copy(self):
        for _ in range(self.args.turns):
            self.call("copy_page", self.args.copy)
        if self.args.check:
            self.call("check_pages", 4_000)

    def sleep(self):
        off = self.now
        self.spend(self.args.sleep * 0.9)
        wake = self.now
        self.spend(self.args.sleep * 0.1)
        self.events.append((off, wake, self.now))

    def request(self):
        self.call("do_read", 1_200,
                  lambda: self.call("mutex_lock", 300),
                  lambda: self.call("copy_pages", 900, self.copy),
                  lambda: self.call("schedule", 500, self.sleep),
                  lambda: self.call("mutex_unlock", 250))
        self.spend(self.args.pause)


def mark(ns):
    for limit, sign in ((1e9, "$"), (1e8, "@"), (1e7, "*"), (1e6, "#"), (1e5, "!"), (1e4, "+")):
        if ns > limit:
            return sign
    return " "


def graph(args, cpu):
    """Lines of one CPU, by time."""
    lines = []
    for begin, end, depth, name, _, leaf in cpu.calls:
        us, space = "%d.%03d us" % ((end - begin) // 1000, (end - begin) % 1000), "  " * depth
        took = "%s %-11s  " % (mark(end - begin), us)
        none = " " * len(took)

        def line(time, duration, text, order):
            stamp = "%12.6f |  " % (time / 1e9) if args.form == "graph" else ""
            column = " %s|  " % duration if args.form != "untimed" else ""
            lines.append((time, order, "%s %d) %s%s%s\n" % (
                stamp, cpu.number, column, space, text)))
        if args.form == "closings":
            if end - begin >= 10_000:
                line(end, took, "} /* %s */" % name, -depth)
        elif leaf:
            line(begin, took, name + "();", depth)
        else:
            line(begin, none, name + "() {", depth)
            line(end, took, "}", -depth)
    return lines


def function(cpu):
    task = "reader-%d" % (77 + cpu.number)
    place = "%16s [%03d] " % (task, cpu.number)
    idle = "%16s [%03d] " % ("<idle>-0", cpu.number)
    lines = [(c[0], c[2], "%s.....  %12.6f: %s <-%s\n" % (place, c[0] / 1e9, c[3], c[4]))
             for c in cpu.calls]
    named = "comm=reader pid=%d prio=120 target_cpu=%03d" % (77 + cpu.number, cpu.number)
    for off, wake, on in cpu.events:
        gone = "prev_comm=reader prev_pid=%d prev_prio=120 prev_state=S ==> " % (77 + cpu.number)
        back = "prev_comm=swapper/%d prev_pid=0 prev_prio=120 prev_state=R ==> " % cpu.number
        for time, who, text in (
                (off, place, "sched_switch: %snext_comm=swapper/%d next_pid=0 next_prio=120" % (gone, cpu.number)),
                (wake, idle, "sched_waking: " + named),
                (on, idle, "sched_switch: %snext_comm=reader next_pid=%d next_prio=120" % (back, 77 + cpu.number))):
            lines.append((time, 9, "%sd..2.  %12.6f: %s\n" % (who, time / 1e9, text)))
    return lines


def main():
    p = argparse.ArgumentParser()
    p.add_argument("form", choices=["graph", "bare", "untimed", "closings", "function"])
    p.add_argument("--run", type=int, default=1, help="seed")
    p.add_argument("--requests", type=int, default=20, help="of each CPU")
    p.add_argument("--turns", type=int, default=8, help="pages of a request")
    p.add_argument("--copy", type=float, default=2_000, help="ns of a page")
    p.add_argument("--sleep", type=float, default=400_000, help="ns of a request")
    p.add_argument("--pause", type=float, default=600_000, help="ns between requests")
    p.add_argument("--noise", type=float, default=0.03)
    p.add_argument("--check", action="store_true", help="a function that is called once a request")
    args = p.parse_args()
    lines = []
    for number in range(2):
        cpu = Cpu(args, number)
        for _ in range(args.requests):
            cpu.request()
        lines += function(cpu) if args.form == "function" else graph(args, cpu)
    lines.sort(key=lambda x: x[:2])
    if args.form == "function":
        print(FUNCTION_HEAD % (len(lines), len(lines)), end="")
    else:
        print({"graph": GRAPH_HEAD, "untimed": UNTIMED_HEAD}.get(args.form, BARE_HEAD), end="")
    print("".join(text for _, _, text in lines), end="")


if __name__ == "__main__":
    main()
