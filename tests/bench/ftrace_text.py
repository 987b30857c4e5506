#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes an ftrace text of a given size for measurements: what a busy machine with a handful of
CPUs records of switches, wake-ups, interrupts, soft interrupts and locks, or of functions.

    ftrace_text.py MB [events|functions|markers]
"""
import random
import sys

HEADER = """# tracer: nop
#
# entries-in-buffer/entries-written: 1/1   #P:8
#
#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION
#              | |         |   |||||     |         |
"""
COMMS = ["hackbench", "ksoftirqd/3", "kworker/u16:2", "rcu_preempt", "Web Content", "cyclictest",
         "migration/5", "systemd-journal", "irq/127-nvme0q", "sshd"]
FUNCTIONS = ["_raw_spin_lock_irqsave", "_raw_spin_unlock_irqrestore", "update_rq_clock", "schedule",
             "__schedule", "try_to_wake_up", "enqueue_task_fair", "dequeue_task_fair", "kfree",
             "preempt_count_add", "preempt_count_sub", "native_write_msr", "ktime_get", "fsnotify",
             "__fsnotify_parent", "vfs_write", "rb_simple_write", "mutex_unlock", "__rcu_read_lock"]


def event(rng, task, tasks):
    """Name, flags and text of one event."""
    kind = rng.random()
    other = rng.choice(tasks)
    if kind < 0.3:
        return "sched_switch", "d..2.", (
            "prev_comm=%s prev_pid=%d prev_prio=120 prev_state=%s ==> next_comm=%s next_pid=%d next_prio=%d" % (
                task + (rng.choice(["S", "R", "D", "R+"]),) + other + (rng.choice([120, 98, 0]),)))
    if kind < 0.5:
        return rng.choice(["sched_waking", "sched_wakeup"]), "dNh3.", (
            "comm=%s pid=%d prio=120 target_cpu=%03d" % (other + (rng.randrange(8),)))
    if kind < 0.6:
        return rng.choice([("irq_handler_entry", "d.h1.", "irq=48 name=eth0"),
                           ("irq_handler_exit", "d.h1.", "irq=48 ret=handled")])
    if kind < 0.8:
        return rng.choice(["softirq_raise", "softirq_entry", "softirq_exit"]), "..s1.", rng.choice(
            ["vec=1 [action=TIMER]", "vec=3 [action=NET_RX]", "vec=7 [action=SCHED]", "vec=9 [action=RCU]"])
    lock = 0xff11000003700000 + 64 * rng.randrange(200)
    if kind < 0.9:
        return "contention_begin", "...1.", "0x%x (flags=%s)" % (lock, rng.choice(["SPIN", "SPIN|READ", "MUTEX"]))
    return "contention_end", "...1.", "0x%x (ret=0)" % lock


def lines(rng, kind):
    tasks = [(c, rng.randrange(2, 200000)) for c in COMMS for _ in range(6)]
    time = 162573000000
    running = [rng.choice(tasks) for _ in range(8)]
    while True:
        cpu = rng.randrange(8)
        time += rng.randrange(1, 12)
        if rng.random() < 0.3:
            running[cpu] = rng.choice(tasks)
        task = running[cpu]
        if kind == "functions":
            flags, text = rng.choice([".....", "d..1.", "...1."]), "%s <-%s" % (
                rng.choice(FUNCTIONS), rng.choice(FUNCTIONS))
        elif kind == "markers":
            flags, text = "...1.", "tracing_mark_write: B|%d|Choreographer#doFrame" % task[1]
        else:
            name, flags, text = event(rng, task, tasks)
            text = name + ": " + text
        yield "%16s-%-7d [%03d] %s %5d.%06d: %s\n" % (
            task[0], task[1], cpu, flags, time // 1000000, time % 1000000, text)


def main():
    size = int(sys.argv[1]) * 1000000
    kind = sys.argv[2] if len(sys.argv) > 2 else "events"
    rng = random.Random(1)
    sys.stdout.write(HEADER)
    source = lines(rng, kind)
    block = "".join(next(source) for _ in range(100000))
    for _ in range(max(1, size // len(block))):
        sys.stdout.write(block)


if __name__ == "__main__":
    main()
