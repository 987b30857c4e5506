/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the preload library counts and the launcher reads: one file per process, mapped shared, so
 * that the counts outlive SIGKILL, _exit and a crash. Plain data; the version covers the layout.
 *
 * Who writes: a thread that holds an exclusive lock writes the lock's own record plainly, its
 * counts too: each CPU has its own, but a thread may move to another. All else is atomic. A reader may look at any time: every field is read or written in one piece.
 *
 * Times are in ticks of header.clock.
 */
#ifndef DWELL_WIRE_LOCKS_H
#define DWELL_WIRE_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_LOCKS_MAGIC UINT64_C(0x6b636f6c6c657764) /* "dwellock" */
#define WIRE_LOCKS_VERSION 9

/* The environment of the program that is recorded. */
#define WIRE_ENV_FOLDER "DWELL_LOCKS" /* where the files go; without it: pass-through */
/* "tsc": the launcher found the TSC to be reliable; "vdso": the clock is read without a system call */
#define WIRE_ENV_CLOCK "DWELL_LOCKS_CLOCK"
#define WIRE_ENV_HOLD "DWELL_LOCKS_HOLD"       /* "all", "sample" or "none" */
#define WIRE_ENV_FOLLOW "DWELL_LOCKS_FOLLOW"   /* "0": programs that are exec'd run without us */
#define WIRE_ENV_STACKS "DWELL_LOCKS_STACKS"   /* "1": stacks of waits are kept */
#define WIRE_ENV_FILTERS "DWELL_LOCKS_FILTERS" /* known to end nobody; three digits */
#define WIRE_FILE_SUFFIX ".locks"

enum wire_clock { WIRE_CLOCK_NS, WIRE_CLOCK_TSC }; /* CLOCK_MONOTONIC, or the raw TSC */
enum wire_hold { WIRE_HOLD_NONE, WIRE_HOLD_SAMPLE, WIRE_HOLD_ALL };

/*
 * The first acquisitions of a lock on each CPU are looked at, all of them; then a sample, one in so
 * many on average. A look prolongs the hold: it may read the clock, and it writes what the next one
 * reads on another CPU. With one look in 64 two threads on one mutex meet so much oftener that each
 * pair takes a third longer (a meeting costs two futex calls); with one in 512 it cannot be seen.
 */
#define WIRE_LOOK_FIRST 256
#define WIRE_LOOK_EVERY 512
#define WIRE_ASK_EVERY 16 /* waits of which one asks the owner's CPU, after the first */

enum wire_kind {
	WIRE_MUTEX = 1,
	WIRE_RWLOCK_W, /* its readers are WIRE_RWLOCK_R of the same address */
	WIRE_RWLOCK_R,
	WIRE_SPIN,
	WIRE_COND, /* from here on no locks: an event is waited for */
	WIRE_BARRIER,
	WIRE_SEM,
	WIRE_FUTEX, /* waits through syscall(): contention only */
	WIRE_KINDS,
};

#define WIRE_KEYS (1u << 15)
#define WIRE_LOCKS (1u << 14)
#define WIRE_PAIRS (1u << 13)
#define WIRE_MODULES 1024
#define WIRE_NAMES (128u << 10)
#define WIRE_SITES 4
#define WIRE_STACKS (1u << 12)
#define WIRE_STACK_FRAMES 32
#define WIRE_STACK_PROBES 64 /* stacks that are looked at before a search gives up */

/*
 * Open addressing, linear: the kind in the top byte, the address below. Locks that were destroyed,
 * but for variables of a loaded file, are summed by kind and first site: their key is the site, the
 * kind has WIRE_KIND_GONE in it.
 */
#define WIRE_KEY_EMPTY UINT64_C(0)
#define WIRE_KEY_FREE UINT64_C(1) /* was used; a search goes on */
#define WIRE_KEY_KIND(key) ((unsigned)((key) >> 56))
#define WIRE_KEY_ADDRESS(key) ((key)&UINT64_C(0x00ffffffffffffff))
#define WIRE_KIND_GONE 0x80u

static inline uint32_t wire_hash(uint64_t key)
{
	return (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - 15)) % WIRE_KEYS;
}

#define WIRE_KEY_GROUP 256

#define WIRE_PROBES 64 /* keys that are looked at before a search gives up */

struct wire_key {
	uint64_t key;
	uint32_t lock; /* index; 0: not yet there */
	uint32_t made; /* at so many WIRE_MADE_NS after the start; UINT32_MAX: or later */
};

#define WIRE_MADE_NS 10000 /* rounded up */

/* Who waited for whom, of one lock. */
struct wire_pair {
	uint64_t waiting, holding; /* sites; holding 0: nobody had taken it before */
	uint64_t n, wait;
	uint32_t next;
	uint32_t stack; /* how the waiting site was reached: index + 1; 0: not kept */
};

/*
 * What is counted, of a lock and a CPU (modulo WIRE_CPUS): lines that stay in that CPU's cache. Each
 * line that moves with the lock makes two threads on one lock about a half slower. (128 bytes apart,
 * since caches fetch lines in pairs.)
 */
#define WIRE_CPUS 8

struct wire_count {
	uint64_t usual;    /* acquisitions of which there is no more to tell, at the first site */
	uint64_t usual_at; /* that site, once they begin; 0 */
	uint64_t acquired; /* the others; counted at release, all of them */
	uint64_t site_n[WIRE_SITES]; /* acquisitions at each site of the lock */
	uint64_t looked; /* acquisitions of which the CPU before was known, but for the sample */

	uint64_t contentions; /* waits that succeeded and took more than 0 ticks */
	uint64_t wait_total, wait_min, wait_max;
	uint64_t con_bounces, con_looked; /* of those of which the CPU before was known */
	uint64_t waits_unknown;           /* taken after a wait whose length was not seen */
	uint64_t hold_min, hold_max;

	uint64_t acq_bounces;        /* of those: it was another */
	uint64_t hold_n, hold_total; /* holds that were timed, but for the sample */
	uint64_t tried;              /* acquisitions by a trylock: they do not bounce */
	uint64_t sampled, sampled_bounces, sampled_hold_n, sampled_hold_total;

	struct wire_pair pending; /* of the last wait: not yet among the lock's; n 0: none */
	uint64_t pad[2];
};

/* An acquisition that is looked at leaves its CPU for the next. */
#define WIRE_CPU_UNSEEN (-1)        /* the last acquisition did not leave it */
#define WIRE_CPU_NONE (-2)          /* there was none yet */
#define WIRE_CPU_SAMPLED 0x40000000 /* with the CPU: it was left because of the sample */

/*
 * The first line is read by each acquisition, and written by one at another site than the one before,
 * and by one that leaves its CPU: then it moves with the lock. The second is hardly ever written.
 */
struct wire_lock {
	uint64_t key;       /* as in its struct wire_key; 0: of no lock */
	uint64_t holder;    /* site of the last acquisition, of its kind; 0: none yet */
	int32_t cpu;        /* of the last acquisition that was no trylock; or WIRE_CPU_* */
	uint32_t depth;     /* recursive mutexes: how often the holder has it; events: waits */
	uint32_t kind;      /* enum wire_kind */
	uint32_t pairs;     /* the first of its pairs; 0: none (see also pending) */
	uint32_t next_free; /* the next free lock, of one that is free */
	uint32_t pad[7];

	uint64_t site[WIRE_SITES]; /* return addresses of calls that take it; 0: unused */
	uint64_t init;             /* that of pthread_mutex_init and the like; 0: none seen */
	uint64_t instances;        /* locks summed here: 1 until destroyed ones come together */
	uint64_t failed;           /* waits that did not end in having it: timeouts, errors */
	uint64_t pair_lost;        /* waits without a pair: the table was full */

	struct wire_count count[WIRE_CPUS];
} __attribute__((aligned(128)));

/* The calls that led to a wait, found by their hash; of all locks together. */
struct wire_stack {
	uint64_t hash;   /* of pc; 0: unused */
	uint32_t frames; /* how many of pc; 0: they are not yet there */
	uint32_t cut;    /* there were more */
	uint64_t pc
		[WIRE_STACK_FRAMES]; /* return addresses outwards, that of the waiting site first */
};

/* A mapping of a file, as in /proc/PID/maps. Never removed: a library may be unloaded. */
struct wire_module {
	uint64_t start, end, offset;
	uint32_t name; /* into names */
	uint32_t ready;
};

struct wire_locks {
	uint64_t magic;
	uint32_t version, size;
	uint32_t pid, parent;
	uint32_t clock, hold; /* enum wire_clock, enum wire_hold */
	uint64_t start;       /* CLOCK_MONOTONIC, ns: loaded, or forked, or its first lock since */
	uint64_t end;         /* the same clock; 0: it did not exit, or not yet */
	uint64_t cpu_start, cpu_end; /* CPU time of the process then, ns */

	/* What did not fit, in events. */
	uint64_t lock_overflow, pair_overflow, module_overflow;
	uint64_t stack_overflow;   /* waits without a stack, of those that should have one */
	uint64_t process_overflow; /* forked from it, but without a file of their own */

	/* How much is in use; 0 is none of them. */
	uint32_t locks_used, pairs_used, modules_used, names_used;
	uint64_t free_lock, free_pair; /* heads of free lists: index, and a count above bit 32 */
	char program[256];             /* /proc/self/exe */
	char comm[16];                 /* of the thread that opened it */
	uint32_t stacks;               /* they are kept */
	uint32_t forked_pid;           /* see forked_start */
	uint64_t forked_start;         /* that of the process that forked it; 0: none, or unknown */
	uint64_t key_groups[WIRE_KEYS / WIRE_KEY_GROUP / 64]; /* of key; bit 0: it is all 0 */

	char pad[3656]; /* all that follows begins on a page: it takes memory when it is used */
	struct wire_module module[WIRE_MODULES];
	char names[WIRE_NAMES];
	struct wire_key key[WIRE_KEYS];
	struct wire_lock lock[WIRE_LOCKS];
	struct wire_pair pair[WIRE_PAIRS];
	struct wire_stack stack[WIRE_STACKS];
};

_Static_assert(offsetof(struct wire_locks, module) == 4096 &&
		       offsetof(struct wire_locks, key) % 4096 == 0 &&
		       WIRE_KEY_GROUP * sizeof(struct wire_key) == 4096,
	       "a group of keys is a page");
_Static_assert(sizeof(struct wire_count) == 256, "a count is two pairs of cache lines");
_Static_assert(sizeof(struct wire_lock) == 128 + WIRE_CPUS * 256,
	       "a lock is a pair, and its counts");

static inline bool wire_has_group(const struct wire_locks *s, uint32_t key)
{
	uint32_t group = key / WIRE_KEY_GROUP;
	return __atomic_load_n(&s->key_groups[group / 64], __ATOMIC_ACQUIRE) >> group % 64 & 1;
}

/* What is added up of two counts, but for acquisitions and their sites (see usual), and extremes. */
/* clang-format off */
#define WIRE_COUNT_SUMS(X)                                                                         \
	X(acq_bounces) X(looked) X(sampled) X(sampled_bounces) X(tried)                            \
	X(hold_n) X(hold_total) X(sampled_hold_n) X(sampled_hold_total)                            \
	X(contentions) X(wait_total) X(con_bounces) X(con_looked) X(waits_unknown)
/* clang-format on */

/* Adds up what two CPUs counted, without what is pending. */
static inline void wire_count_add(struct wire_count *to, const struct wire_count *c)
{
	if (c->hold_n + c->sampled_hold_n) {
		bool first = !(to->hold_n + to->sampled_hold_n);
		to->hold_min = first || c->hold_min < to->hold_min ? c->hold_min : to->hold_min;
		to->hold_max = c->hold_max > to->hold_max ? c->hold_max : to->hold_max;
	}
	if (c->contentions) {
		to->wait_min =
			!to->contentions || c->wait_min < to->wait_min ? c->wait_min : to->wait_min;
		to->wait_max = c->wait_max > to->wait_max ? c->wait_max : to->wait_max;
	}
	to->acquired += c->acquired + c->usual;
	to->site_n[0] += c->usual;
#define ADD(field) to->field += c->field;
	WIRE_COUNT_SUMS(ADD)
#undef ADD
	for (unsigned i = 0; i < WIRE_SITES; i++)
		to->site_n[i] += c->site_n[i];
}

#endif
