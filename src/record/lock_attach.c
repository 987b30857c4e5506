/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "record/lock_attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "record/lock_sample.h"

#define THREADS_MAX 4096 /* that are looked at in one look */

struct attach {
	const struct lock_attach_options *options;
	struct lock_sample *sample;
	struct memory_map map;
	int proc, pidfd; /* /proc/PID; -1: the kernel has no pidfd (Linux 5.3) */
	uint64_t random;
	int64_t map_read_ns; /* when the mappings were read */
	VEC(int) tids;
	VEC(struct thread_call) calls; /* of each: number -1 if it does not wait for a futex */
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A small file, or as much as fits; -1: none. */
static ssize_t read_file(int folder, const char *name, char *to, size_t room)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, to, room);
	int why = errno;
	if (fd >= 0)
		close(fd);
	errno = why;
	return n;
}

/* -- Who may look ------------------------------------------------------------------------------ */

static int ptrace_scope(void)
{
	char text[8] = "";
	ssize_t n = read_file(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", text, 7);
	return n > 0 ? atoi(text) : 0;
}

#define FROM_ITS_START "or record it from its start: 'dwell record locks -- PROGRAM'"

static int refuse(const struct attach *a, int why, struct err *err)
{
	long long pid = (long long)a->options->pid;
	struct stat st;
	if (why == ENOENT)
		return err_set(err, why,
			       "process %lld: this kernel does not tell what threads "
			       "wait in (CONFIG_HAVE_ARCH_TRACEHOOK)",
			       pid);
	if (!fstat(a->proc, &st) && geteuid() != 0 && st.st_uid != geteuid())
		return err_set(err, why,
			       "process %lld is another user's (uid %u): look at it as "
			       "that user, or as root",
			       pid, (unsigned)st.st_uid);
	if (geteuid() == 0)
		return err_set(err, why,
			       "the kernel does not let root look at process %lld here (%s): it "
			       "belongs to the world outside of this container",
			       pid, strerror(why));
	int scope = ptrace_scope();
	if (scope > 0)
		return err_set(err, why,
			       "the kernel does not let us look at process %lld: set "
			       "kernel.yama.ptrace_scope to 0 (it is %d), be root, " FROM_ITS_START,
			       pid, scope);
	return err_set(err, why,
		       "the kernel does not let us look at process %lld (%s): it is "
		       "setuid, or guards itself (PR_SET_DUMPABLE); be root, " FROM_ITS_START,
		       pid, strerror(why));
}

static int check(const struct attach *a, struct err *err)
{
	char name[64], text[256];
	snprintf(name, sizeof(name), "task/%lld/syscall", (long long)a->options->pid);
	ssize_t n = read_file(a->proc, name, text, sizeof(text));
	if (n >= 0)
		return 0;
	if (errno == ESRCH)
		return err_set(err, ESRCH, "process %lld has just ended",
			       (long long)a->options->pid);
	return refuse(a, errno, err);
}

static int open_process(struct attach *a, struct err *err)
{
	char name[64];
	long long pid = (long long)a->options->pid;
	snprintf(name, sizeof(name), "/proc/%lld", pid);
	a->proc = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (a->proc < 0)
		return err_set(err, errno,
			       errno == ENOENT ? "there is no process %lld"
					       : "cannot look at process %lld",
			       pid);
	a->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
	return check(a, err);
}

/* -- A look ------------------------------------------------------------------------------------ */

static void list_threads(struct attach *a)
{
	a->tids.n = a->calls.n = 0;
	int fd = openat(a->proc, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	for (struct dirent *e; d && a->tids.n < THREADS_MAX && (e = readdir(d));) {
		if (e->d_name[0] != '.')
			vec_push(&a->tids, atoi(e->d_name));
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

static bool wait_of(const struct attach *a, int tid, struct thread_call *c)
{
	char name[64], text[512];
	struct futex_wait w;
	snprintf(name, sizeof(name), "task/%d/syscall", tid);
	ssize_t n = read_file(a->proc, name, text, sizeof(text));
	return n > 0 && thread_call_parse((struct str){ text, (size_t)n }, c) &&
	       thread_call_futex(c, &w);
}

static bool is_thread(const struct attach *a, uint32_t tid)
{
	vec_each (t, &a->tids) {
		if ((uint32_t)*t == tid)
			return tid != 0;
	}
	return false;
}

/* What glibc writes where a mutex waits: its lock, how often it is held, and the thread that has it
 * (struct __pthread_mutex_s). The lock of a robust or inheriting one has that thread in it, too. */
struct mutex_words {
	uint32_t lock, count, owner;
};

#define LOCK_CONTENDED 2 /* glibc's lowlevellock.h: taken, and somebody may wait */

static uint32_t owner_of(const struct attach *a, const struct futex_wait *w)
{
	struct mutex_words m;
	struct iovec to = { &m, sizeof(m) }, from = { (void *)(uintptr_t)w->address, sizeof(m) };
	if (process_vm_readv((pid_t)a->options->pid, &to, 1, &from, 1, 0) != sizeof(m))
		return 0;
	bool in_lock = (m.lock & FUTEX_TID_MASK) == m.owner;
	if (w->value != LOCK_CONTENDED && !in_lock)
		return 0;
	return is_thread(a, m.owner) ? m.owner : 0;
}

static const char *name_of(const struct attach *a, uint32_t tid, char *to, size_t room)
{
	char name[64];
	snprintf(name, sizeof(name), "task/%u/comm", tid);
	ssize_t n = tid ? read_file(a->proc, name, to, room - 1) : 0;
	if (n <= 0)
		return NULL;
	n -= to[n - 1] == '\n';
	to[n] = '\0';
	return to;
}

/* A thread's stack lies above its stack pointer, in one mapping. */
static bool is_on_stack(const struct attach *a, uint64_t address)
{
	const struct mapping *m = memory_map_find(&a->map, address);
	vec_each (c, &a->calls) {
		if (m && c->number >= 0 && m->start <= c->sp && c->sp <= address &&
		    address < m->end && !m->name[0])
			return true;
	}
	return false;
}

static void take_waiter(const struct attach *a, const struct thread_call *c)
{
	struct futex_wait w;
	char name[32];
	thread_call_futex(c, &w);
	uint32_t owner = owner_of(a, &w);
	struct lock_waiter waiter = { w.address, c->pc, is_on_stack(a, w.address),
				      name_of(a, owner, name, sizeof(name)) };
	lock_sample_waiter(a->sample, &waiter);
}

static void read_map(struct attach *a)
{
	struct strbuf cleanup_strbuf text = { 0 };
	char block[8192];
	int fd = openat(a->proc, "maps", O_RDONLY | O_CLOEXEC);
	ssize_t n;
	while (fd >= 0 && (n = read(fd, block, sizeof(block))) > 0)
		strbuf_add(&text, block, (size_t)n);
	if (fd >= 0)
		close(fd);
	a->map_read_ns = clock_ns(CLOCK_MONOTONIC);
	if (!text.n)
		return; /* it ends */
	memory_map_fini(&a->map);
	memory_map_parse(&a->map, strbuf_get(&text));
}

#define MAP_AGAIN_NS INT64_C(1000000000) /* what is nowhere is looked for so often at most */

static void look(struct attach *a, int64_t gap)
{
	list_threads(a);
	vec_each (tid, &a->tids) {
		struct thread_call c;
		if (wait_of(a, *tid, &c))
			vec_push(&a->calls, c);
	}
	lock_sample_look(a->sample, gap);
	vec_each (c, &a->calls) {
		bool known =
			memory_map_find(&a->map, c->pc) && memory_map_find(&a->map, c->argument[0]);
		if (!known && clock_ns(CLOCK_MONOTONIC) - a->map_read_ns > MAP_AGAIN_NS)
			read_map(a);
		take_waiter(a, c);
	}
}

/* -- The run ----------------------------------------------------------------------------------- */

/* Half to one and a half of it: a program that does something at even times is no trap. */
static int64_t pause_of(struct attach *a)
{
	a->random ^= a->random << 13; /* xorshift64 */
	a->random ^= a->random >> 7;
	a->random ^= a->random << 17;
	int64_t every = a->options->every_ns;
	return every / 2 + (int64_t)(a->random % (uint64_t)(every + 1));
}

/* False: it is over. */
static bool wait_for_next(struct attach *a, int64_t end)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC), pause = pause_of(a);
	pause = end && now + pause > end ? end - now : pause;
	if (pause <= 0 && end)
		return false;
	struct timespec t = { pause / 1000000000, pause % 1000000000 };
	struct pollfd ended = { .fd = a->pidfd, .events = POLLIN };
	int n = ppoll(&ended, 1, &t, NULL);
	if (n != 0 || *a->options->stop)
		return false;
	return a->pidfd >= 0 || kill((pid_t)a->options->pid, 0) == 0 || errno == EPERM;
}

static const char *command_of(const struct attach *a, struct arena *arena)
{
	char text[256];
	ssize_t n = read_file(a->proc, "cmdline", text, sizeof(text) - 1);
	if (n <= 0)
		n = read_file(a->proc, "comm", text, sizeof(text) - 1); /* the kernel's own */
	for (ssize_t i = 0; i + 1 < n; i++)
		text[i] = text[i] ? text[i] : ' ';
	text[n > 0 ? n - (text[n - 1] == '\n') : 0] = '\0';
	return arena_str(arena, str_of(text));
}

static void run(struct attach *a, struct capture *c)
{
	int64_t start = clock_ns(CLOCK_MONOTONIC), cpu = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	int64_t end = a->options->duration_ns ? start + a->options->duration_ns : 0, last = start;
	struct lock_sample_run facts = { .command = command_of(a, &c->arena),
					 .pid = a->options->pid };
	read_map(a);
	while (wait_for_next(a, end)) {
		int64_t now = clock_ns(CLOCK_MONOTONIC);
		look(a, now - last);
		last = now;
	}
	facts.ns = last - start;
	facts.cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	facts.running = kill((pid_t)a->options->pid, 0) == 0;
	lock_sample_table(a->sample, &a->map, &facts, c);
}

int lock_attach(const struct lock_attach_options *o, struct capture *c, struct err *err)
{
	struct attach a = { .options = o, .proc = -1, .pidfd = -1 };
	a.random = (uint64_t)clock_ns(CLOCK_MONOTONIC) | 1;
	int ret = open_process(&a, err);
	if (!ret) {
		a.sample = lock_sample_new();
		run(&a, c);
		lock_sample_free(a.sample);
	}
	memory_map_fini(&a.map);
	vec_fini(&a.tids);
	vec_fini(&a.calls);
	if (a.proc >= 0)
		close(a.proc);
	if (a.pidfd >= 0)
		close(a.pidfd);
	return ret;
}
