/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One event of a trace: 32 bytes, passed by value or by pointer, never owned. What does not fit
 * is a payload, valid until the next event is read.
 */
#ifndef DWELL_CORE_EVENT_H
#define DWELL_CORE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum event_kind {
	EVENT_FUNCTION, /* what entered, arg: its caller (0: none printed) */
	EVENT_NAMED,    /* a tracepoint, trace_printk or marker: what is its name, payload.text */
	EVENT_WAKEUP,   /* "prev + [cpu] next" of the wake-up tracers: payload.sched */
	EVENT_SWITCH,   /* "prev ==> [cpu] next": payload.sched */
	EVENT_SPECIAL,  /* -rt kernels: values that belong to the function in what: payload.text */
	EVENT_SYSCALL,  /* -rt kernels: "> sys_read (...)" */
	EVENT_SYSRET,   /* -rt kernels: "< (ret)" */
	/* Lines of function_graph: depth is set, payload.graph. */
	EVENT_GRAPH_ENTRY,   /* "f() {" */
	EVENT_GRAPH_EXIT,    /* "}": what is the call that it closes; 0: not known */
	EVENT_GRAPH_LEAF,    /* "f();" */
	EVENT_GRAPH_COMMENT, /* a tracepoint or a remark in C's comment marks: payload.text */
	EVENT_STACK,         /* "<stack trace>": payload.stack; not counted among the entries */
	EVENT_LOST,          /* the ring buffer dropped events: payload.lost; not counted either */
	EVENT_GRAPH_SWITCH,  /* between the lines of a graph: from now on the CPU is another task's:
			      * task is the one that goes, payload.sched.next_task comes; not counted */
	EVENT_KINDS,
};

#define EVENT_KIND_MASK 0x1f
#define EVENT_NO_CPU 0x20     /* the line does not say which CPU: cpu is 0 */
#define EVENT_AFTER_HOLE 0x40 /* lines were cut by hand before this one: no gap across */
#define EVENT_NO_TIME 0x80    /* the line carries no time stamp */

/* Columns of the flags: four bits each, from the lowest. See event_flag_char. */
enum flag_column {
	FLAG_IRQS,         /* . d D X b */
	FLAG_RESCHED,      /* . N n p B L b l */
	FLAG_RESCHED_LAZY, /* -rt only: . L l N n */
	FLAG_CONTEXT,      /* . h s H Z z */
	FLAG_DEPTH,        /* preempt depth: . 1-f */
	FLAG_DEPTH_LAZY,   /* -rt only */
	FLAG_MIGRATE,      /* migrate-disable; lock-depth in 2.6.33 */
	FLAG_COLUMNS,
};

struct event {
	int64_t time;   /* ns, or clock ticks if the capture says so; may be negative */
	uint32_t what;  /* name id */
	uint32_t arg;   /* name id of the caller; 0: none */
	uint32_t task;  /* task id */
	uint32_t flags; /* seven columns, and how many were printed in the top four bits */
	uint32_t line;  /* first line of the record in the user's file */
	uint16_t cpu;
	uint8_t kind;  /* enum event_kind | EVENT_NO_CPU | EVENT_AFTER_HOLE | EVENT_NO_TIME */
	uint8_t depth; /* nesting, where the tracer prints it */
};

_Static_assert(sizeof(struct event) == 32, "an event is 32 bytes");

/* One side of a wake-up or a switch. prio is the kernel's: 0-98 real-time (FIFO/RR priority
 * 99 - prio), 100-139 nice -20..19, -1 deadline. */
struct sched_side {
	int32_t pid, prio;
	char state;
};

/*
 * What a tracepoint says, where an analysis needs it in figures: for EVENT_NAMED, and for the
 * wake-up tracers' EVENT_WAKEUP and EVENT_SWITCH. POINT_SWITCH to POINT_MIGRATE fill
 * payload.sched (a side that the event does not have is pid -1); the others payload.args.
 * A field that the text does not give is UNKNOWN (core/capture.h) or name id 0.
 */
enum point {
	POINT_NONE,          /* not decoded: payload.text is all there is */
	POINT_SWITCH,        /* sched_switch: prev, next */
	POINT_WAKING,        /* sched_waking: next, next_cpu */
	POINT_WAKEUP,        /* sched_wakeup, sched_wakeup_new: next, next_cpu */
	POINT_MIGRATE,       /* sched_migrate_task: next, next_cpu is where it goes, orig_cpu */
	POINT_IRQ_ENTRY,     /* irq_handler_entry: a: irq, name; local_timer_entry and the like:
			      * a: vector, name of the event without _entry */
	POINT_IRQ_EXIT,      /* a: as in the entry; b: ret */
	POINT_SOFTIRQ_RAISE, /* a: vec, name: action (TIMER, NET_RX, ...) */
	POINT_SOFTIRQ_ENTRY, /* likewise */
	POINT_SOFTIRQ_EXIT,  /* likewise */
	POINT_LOCK_BEGIN,    /* contention_begin: a: lock address as printed or hashed, b: flags
			      * (1 spin, 2 read, 4 write, 8 rt, 16 percpu, 32 mutex), name: of the
			      * variable at that address */
	POINT_LOCK_END,      /* contention_end: a: lock address, b: ret */
	POINT_LOCK_ACQUIRE, /* lock_acquire: a: address of lockdep's map in the lock, b: flags (1 try,
			      * 2 read), name: class */
	POINT_LOCK_CONTENDED, /* lock_contended: a, name */
	POINT_LOCK_ACQUIRED,  /* lock_acquired: likewise */
	POINT_LOCK_RELEASE,   /* lock_release: likewise */
	POINT_SYS_ENTER,      /* raw_syscalls: a: nr; syscalls:sys_enter_x: name "x" */
	POINT_SYS_EXIT,       /* a: nr, b: ret */
	POINT_TIMERLAT, /* a row of the timerlat tracer: a: latency ns, b: sample number, name:
			      * context (irq, thread, user-ret) */
	POINT_OSNOISE, /* a row of the osnoise tracer: a: noise us, b: max single us, c: runtime us;
			* count: how often hardware, NMI, IRQ, softirq, thread interfered */
	POINT_HWLAT,   /* a row of hwlat: a: inner us, b: outer us, c: count (before 5.9 UNKNOWN);
			* count: NMIs' us, NMIs (UNKNOWN: not printed) */
	POINT_NOISE_NMI,     /* osnoise events: a: start ns, b: duration ns (net), name: what */
	POINT_NOISE_IRQ,     /* c: vector */
	POINT_NOISE_SOFTIRQ, /* c: vector */
	POINT_NOISE_THREAD,  /* c: pid */
	POINT_NOISE_SAMPLE,  /* sample_threshold: c: interference count */
	POINTS,
};

#define POINT_BIT(p) (1u << (p))

/* Who interferes with a thread of the osnoise tracer, in the order of its columns. */
enum noise_source {
	NOISE_HARDWARE,
	NOISE_NMI,
	NOISE_IRQ,
	NOISE_SOFTIRQ,
	NOISE_THREAD,
	NOISE_SOURCES,
};

/* What the -rt kernels of 2004 print instead of flags: see read/rt_ms.c. */
enum preempt_word { PREEMPT_WORD_NONE, PREEMPT_WORD_DOTS, PREEMPT_WORD_HEX };

#define STACK_MAX 64
#define NO_DURATION INT64_MIN

struct payload {
	struct str text;      /* the entry as printed, after the time; a slice of the line */
	enum point point;     /* EVENT_NAMED, EVENT_WAKEUP, EVENT_SWITCH */
	struct str arguments; /* of a function or a call: "a=0x1, b=2"; empty: none printed */
	enum preempt_word preempt_word;
	uint32_t preempt_count; /* PREEMPT_WORD_HEX */
	union {
		struct {                 /* EVENT_FUNCTION */
			int64_t repeats; /* func_repeats: calls that it stands for; 0: not printed */
			int64_t last_ts; /* of the last of them, ns of the trace's clock */
		} function;
		struct {                    /* EVENT_GRAPH_ENTRY to _COMMENT */
			int64_t duration;   /* ns, exactly as printed; NO_DURATION: none was */
			struct str comment; /* behind the call: "ret=0x0"; empty: none */
		} graph;
		struct {
			struct sched_side prev, next;
			int32_t next_cpu;   /* -1: not printed */
			uint32_t next_task; /* 0: no comm printed */
			uint32_t prev_task; /* likewise */
			int32_t orig_cpu;   /* POINT_MIGRATE; -1: not printed */
		} sched;
		struct { /* of the points that are no scheduling: see enum point */
			int64_t a, b, c;
			uint32_t name;
			int64_t count[NOISE_SOURCES]; /* POINT_OSNOISE, POINT_HWLAT */
		} args;
		struct {
			uint32_t n, dropped;
			uint32_t frames[STACK_MAX]; /* innermost first */
			bool user;
		} stack;
		int64_t lost; /* -1: events were lost, the number is not printed */
	};
};

static inline enum event_kind event_kind(const struct event *e)
{
	return (enum event_kind)(e->kind & EVENT_KIND_MASK);
}

static inline unsigned event_flag(const struct event *e, enum flag_column c)
{
	return e->flags >> (4 * c) & 15;
}

static inline unsigned event_flag_columns(const struct event *e)
{
	return e->flags >> 28;
}

static inline bool event_is_graph(const struct event *e)
{
	return event_kind(e) >= EVENT_GRAPH_ENTRY && event_kind(e) <= EVENT_GRAPH_COMMENT;
}

/* False for what is no entry of the trace: stack dumps, notices of lost events and of switches. */
static inline bool event_is_entry(const struct event *e)
{
	return event_kind(e) != EVENT_STACK && event_kind(e) != EVENT_LOST &&
	       event_kind(e) != EVENT_GRAPH_SWITCH;
}

/*
 * The letters of a column. Meanings changed over the years (print_lat_fmt and
 * trace_print_lat_fmt in kernel/trace/trace_output.c): in the 2005 -rt kernels D is "hard irqs
 * off" and d "soft irqs off", since about 5.18 D is "irqs and bottom halves off".
 */
char event_flag_char(enum flag_column c, unsigned state);

/* Reads a run of 4 to 7 flag characters; false if one of them is no flag. */
bool event_flags_parse(struct str run, uint32_t *flags);

/* Writes them back, NUL-terminated (at most 7 characters). */
void event_flags_print(uint32_t flags, char out[8]);

/* Context of execution as the flags tell it; entry symbols know better for some lines. */
enum context { CONTEXT_TASK, CONTEXT_SOFTIRQ, CONTEXT_HARDIRQ, CONTEXT_NMI, CONTEXT_COUNT };
enum context event_context(const struct event *e);
bool event_irqs_off(const struct event *e);
bool event_need_resched(const struct event *e);

#endif
