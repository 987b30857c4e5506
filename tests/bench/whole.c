/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a whole trace in ftrace's default format, of a machine with eight CPUs: scheduling and
 * interrupts as its tracepoints tell them, every function, or a graph of functions. The same seed
 * gives the same bytes, and memory does not follow the length.
 *
 *	whole events|functions|graph MEGABYTES [SEED]
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS 8
#define TASKS 200
#define DEPTH 24

struct task {
	char comm[16], who[32]; /* who: "comm-pid" in the columns of a line */
	char pid[12];
};

struct cpu {
	unsigned task; /* TASKS: the idle task */
	unsigned woken;
	int step; /* of the story that it tells: see events_of */
	unsigned stack[DEPTH], depth;
	uint64_t now, entered[DEPTH]; /* of a graph, ns */
	bool irq;
};

struct generator {
	uint64_t random, time_us, bytes, limit;
	struct task tasks[TASKS + 1];
	struct cpu cpus[CPUS];
	char out[1 << 17];
	size_t n;
};

/* Xorshift64* (Vigna, TOMS 42, 2016). */
static unsigned below(struct generator *g, unsigned n)
{
	g->random ^= g->random >> 12;
	g->random ^= g->random << 25;
	g->random ^= g->random >> 27;
	return (unsigned)((g->random * 0x2545f4914f6cdd1dull >> 32) % n);
}

static void add(struct generator *g, const char *z)
{
	size_t n = strlen(z);
	memcpy(g->out + g->n, z, n);
	g->n += n;
}

static void add_number(struct generator *g, uint64_t v, unsigned width, char fill)
{
	char digits[20];
	unsigned n = 0;
	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (; width > n; width--)
		g->out[g->n++] = fill;
	while (n)
		g->out[g->n++] = digits[--n];
}

/* Up to the time stamp and its colon. */
static void line_begin(struct generator *g, unsigned cpu, const char *flags)
{
	g->time_us += 1 + below(g, 4);
	add(g, g->tasks[g->cpus[cpu].task].who);
	add(g, " [");
	add_number(g, cpu, 3, '0');
	add(g, "] ");
	add(g, flags);
	add_number(g, g->time_us / 1000000, 6, ' ');
	add(g, ".");
	add_number(g, g->time_us % 1000000, 6, '0');
	add(g, ": ");
}

static void line_end(struct generator *g)
{
	g->out[g->n++] = '\n';
	if (g->n < sizeof(g->out) - 1024)
		return;
	if (fwrite(g->out, 1, g->n, stdout) != g->n)
		exit(1); /* the reader is gone */
	g->bytes += g->n;
	g->n = 0;
}

static void wakeup(struct generator *g, unsigned cpu, const char *what)
{
	const struct task *t = &g->tasks[g->cpus[cpu].woken];
	line_begin(g, cpu, "d.h3.");
	add(g, what);
	add(g, t->comm);
	add(g, " pid=");
	add(g, t->pid);
	add(g, " prio=120 target_cpu=");
	add_number(g, cpu, 3, '0');
	line_end(g);
}

static void task_switch(struct generator *g, unsigned cpu, unsigned to)
{
	struct cpu *c = &g->cpus[cpu];
	const struct task *prev = &g->tasks[c->task], *next = &g->tasks[to];
	line_begin(g, cpu, "d..2.");
	add(g, "sched_switch: prev_comm=");
	add(g, prev->comm);
	add(g, " prev_pid=");
	add(g, prev->pid);
	add(g, " prev_prio=120 prev_state=");
	add(g, c->task == TASKS ? "R" : below(g, 4) ? "S" : "R+");
	add(g, " ==> next_comm=");
	add(g, next->comm);
	add(g, " next_pid=");
	add(g, next->pid);
	add(g, " next_prio=120");
	line_end(g);
	c->task = to;
}

static void plain(struct generator *g, unsigned cpu, const char *flags, const char *text)
{
	line_begin(g, cpu, flags);
	add(g, text);
	line_end(g);
}

/* An interrupt wakes a task, which runs for a while; then a timer's softirq, and idle again. */
static void events_of(struct generator *g, unsigned cpu)
{
	struct cpu *c = &g->cpus[cpu];
	switch (c->step++) {
	case 0:
		plain(g, cpu, "d.h1.", "irq_handler_entry: irq=27 name=virtio1-input.0");
		c->woken = below(g, TASKS);
		return;
	case 1:
		wakeup(g, cpu, "sched_waking: comm=");
		return;
	case 2:
		plain(g, cpu, "d.h1.", "irq_handler_exit: irq=27 ret=handled");
		return;
	case 3:
		wakeup(g, cpu, "sched_wakeup: comm=");
		return;
	case 4:
		if (c->task != c->woken)
			task_switch(g, cpu, c->woken);
		return;
	case 5:
		plain(g, cpu, "d.h1.", "softirq_raise: vec=1 [action=TIMER]");
		return;
	case 6:
		plain(g, cpu, "..s1.", "softirq_entry: vec=1 [action=TIMER]");
		return;
	case 7:
		plain(g, cpu, "..s1.", "softirq_exit: vec=1 [action=TIMER]");
		return;
	default:
		c->step = 0;
		if (below(g, 3) && c->task != TASKS)
			task_switch(g, cpu, TASKS);
	}
}

/* -- Functions ---------------------------------------------------------------------------- */

static const char *const functions[] = {
	"do_syscall_64",
	"ksys_read",
	"vfs_read",
	"new_sync_read",
	"ext4_file_read_iter",
	"generic_file_read_iter",
	"filemap_read",
	"filemap_get_pages",
	"filemap_get_read_batch",
	"touch_atime",
	"atime_needs_update",
	"current_time",
	"ktime_get_coarse_real_ts64",
	"copy_page_to_iter",
	"_copy_to_iter",
	"__fget_light",
	"__cond_resched",
	"rcu_read_unlock_strict",
	"security_file_permission",
	"apparmor_file_permission",
	"aa_file_perm",
	"fsnotify_perm",
	"__fsnotify_parent",
	"_raw_spin_lock",
	"preempt_count_add",
	"do_raw_spin_trylock",
	"_raw_spin_unlock",
	"preempt_count_sub",
	"kmem_cache_alloc",
	"kmem_cache_free",
	"mod_memcg_state",
	"__mod_lruvec_state",
	"folio_mark_accessed",
};
#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

/* Each function calls one other, or two; deeper ones come later in the list, and end it. */
static void function_of(struct generator *g, unsigned cpu)
{
	struct cpu *c = &g->cpus[cpu];
	while (c->depth && (c->depth >= DEPTH || below(g, 100) < 45))
		c->depth--;
	unsigned caller = c->depth ? c->stack[c->depth - 1] : 0;
	unsigned callee = caller + 1 + (caller % 4 ? 0 : below(g, 2));
	if (callee >= FUNCTIONS || !c->depth) {
		c->depth = 0;
		caller = 0;
		callee = 1;
		if (below(g, 20) == 0)
			c->task = below(g, TASKS);
		c->irq = below(g, 50) == 0;
	}
	c->stack[c->depth++] = callee;
	line_begin(g, cpu, c->irq ? "d.h1." : "...1.");
	add(g, functions[callee]);
	add(g, " <-");
	add(g, functions[caller]);
	line_end(g);
}

/* -- Graph -------------------------------------------------------------------------------- */

/* " 0) + 86.185 us   |  ", or without a duration, and the indent */
static void graph_begin(struct generator *g, unsigned cpu, uint64_t ns, unsigned depth)
{
	char text[40] = "";
	if (ns)
		snprintf(text, sizeof(text), "%" PRIu64 ".%03u us", ns / 1000,
			 (unsigned)(ns % 1000));
	add_number(g, cpu, 2, ' ');
	add(g, ns > 1000000 ? ") # " : ns > 100000 ? ") ! " : ns > 10000 ? ") + " : ")   ");
	add(g, text);
	for (size_t n = strlen(text); n < 12; n++)
		add(g, " ");
	add(g, "|  ");
	while (depth--)
		add(g, "  ");
}

/* A CPU enters a call, leaves one, or makes one that calls nothing. */
static void graph_of(struct generator *g, unsigned cpu)
{
	struct cpu *c = &g->cpus[cpu];
	unsigned callee = c->depth ? c->stack[c->depth - 1] + 1 + below(g, 2) : 0;
	unsigned what = below(g, 100);
	unsigned leaf = 50 + below(g, 900);
	c->now += 20 + below(g, 80); /* what an entry costs */
	if (callee >= FUNCTIONS || c->depth == DEPTH || (c->depth && what < 30)) {
		c->depth--;
		graph_begin(g, cpu, c->now - c->entered[c->depth], c->depth);
		add(g, "}");
	} else if (c->depth && what < 65) {
		c->now += leaf;
		graph_begin(g, cpu, leaf, c->depth);
		add(g, functions[callee]);
		add(g, "();");
	} else {
		graph_begin(g, cpu, 0, c->depth);
		c->entered[c->depth] = c->now;
		c->stack[c->depth++] = callee;
		add(g, functions[callee]);
		add(g, "() {");
	}
	line_end(g);
}

/* -- The trace ------------------------------------------------------------------------------ */

static void header(const char *tracer)
{
	printf("# tracer: %s\n#\n"
	       "# entries-in-buffer/entries-written: 0/0   #P:%d\n#\n"
	       "#                                _-----=> irqs-off/BH-disabled\n"
	       "#                               / _----=> need-resched\n"
	       "#                              | / _---=> hardirq/softirq\n"
	       "#                              || / _--=> preempt-depth\n"
	       "#                              ||| / _-=> migrate-disable\n"
	       "#                              |||| /     delay\n"
	       "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
	       "#              | |         |   |||||     |         |\n",
	       tracer, CPUS);
}

static void header_graph(const char *tracer)
{
	printf("# tracer: %s\n#\n"
	       "# CPU  DURATION                  FUNCTION CALLS\n"
	       "# |     |   |                     |   |   |   |\n",
	       tracer);
}

static const struct kind {
	const char *name, *tracer;
	void (*header)(const char *tracer);
	void (*line)(struct generator *g, unsigned cpu);
} kinds[] = {
	{ "events", "nop", header, events_of },
	{ "functions", "function", header, function_of },
	{ "graph", "function_graph", header_graph, graph_of },
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	}
	return NULL;
}

static void tasks_make(struct generator *g)
{
	static const char *const comms[] = { "kworker/u16:2", "postgres",    "nginx",
					     "rcu_preempt",   "ksoftirqd/3", "systemd",
					     "node",          "jbd2/vda1-8", "containerd",
					     "java",          "sshd-session" };
	for (unsigned i = 0; i <= TASKS; i++) {
		struct task *t = &g->tasks[i];
		bool idle = i == TASKS;
		snprintf(t->comm, sizeof(t->comm), "%s",
			 idle ? "swapper/0" : comms[i % (sizeof(comms) / sizeof(comms[0]))]);
		unsigned pid = idle ? 0 : 300 + 37 * i;
		snprintf(t->pid, sizeof(t->pid), "%u", pid);
		snprintf(t->who, sizeof(t->who), "%16s-%-7u", idle ? "<idle>" : t->comm, pid);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		g->cpus[cpu].task = TASKS;
}

int main(int argc, char **argv)
{
	static struct generator g;
	const struct kind *kind = argc > 1 ? kind_of(argv[1]) : NULL;
	g.limit = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000000 : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	if (!kind || !g.limit || argc > 4) {
		fprintf(stderr, "usage: whole events|functions|graph MEGABYTES [SEED]\n");
		return 2;
	}
	g.random = seed * 0x9e3779b97f4a7c15ull | 1;
	g.time_us = 5923000000;
	tasks_make(&g);
	kind->header(kind->tracer);
	while (g.bytes + g.n < g.limit)
		kind->line(&g, below(&g, CPUS));
	fwrite(g.out, 1, g.n, stdout);
	return fflush(stdout) ? 1 : 0;
}
