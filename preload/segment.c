/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "preload/calls.h"
#include "preload/filters.h"
#include "preload/loads.h"
#include "preload/modules.h"
#include "preload/now.h"
#include "preload/self.h"
#include "preload/stack.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* In .bss and page-aligned, so anonymous memory. */
HIDDEN union segment_page segment_page __attribute__((aligned(SEGMENT_PAGE)));
HIDDEN struct segment_config segment_config;

HIDDEN struct wire_locks *segment_place;

HIDDEN bool segment_populate(void *p, size_t n)
{
	uintptr_t page = (uintptr_t)getpagesize();
	uintptr_t from = (uintptr_t)p & ~(page - 1), to = (uintptr_t)p + n;
	int saved = errno;
	bool there = madvise((void *)from, to - from, MADV_POPULATE_WRITE) == 0 || errno == EINVAL;
	errno = saved;
	return there;
}

static bool equals(const char *name, const char *value)
{
	const char *is = getenv(name);
	return is && strcmp(is, value) == 0;
}

/* Where the files are, for children, too: a program may change its environment. */
static char folder[448];

HIDDEN bool segment_is_wanted(void)
{
	static bool looked;
	if (looked)
		return folder[0];
	looked = true;
	const char *is = getenv(WIRE_ENV_FOLDER);
	if (is && is[0] == '/' && strlen(is) < sizeof(folder) && !filters_may_end())
		strcpy(folder, is);
	return folder[0];
}

/* "FOLDER/PID-NS.locks", without stdio. */
static void file_name(char to[sizeof(folder) + 64], uint64_t pid, uint64_t ns)
{
	size_t n = strlen(folder);
	memcpy(to, folder, n);
	to[n++] = '/';
	const uint64_t number[] = { pid, ns };
	for (int i = 0; i < 2; i++) {
		char digits[24];
		size_t d = 0;
		for (uint64_t v = number[i]; v || !d; v /= 10)
			digits[d++] = (char)('0' + v % 10);
		while (d)
			to[n++] = digits[--d];
		to[n++] = i ? '\0' : '-';
	}
	strcpy(to + n - 1, WIRE_FILE_SUFFIX);
}

/* To make a file larger than it may be is answered by SIGXFSZ. */
static bool may_be_as_large(size_t n)
{
	struct rlimit most;
	return getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur >= n;
}

/*
 * What we map of a limited address space is missing to the program, whose own mappings could fail by
 * that; a child maps its file over its parent's.
 */
#define ADDRESS_SHARE 64
static bool leaves_addresses(size_t n)
{
	struct rlimit most;
	return segment_place ||
	       (getrlimit(RLIMIT_AS, &most) == 0 &&
		(most.rlim_cur == RLIM_INFINITY || most.rlim_cur / ADDRESS_SHARE >= n));
}

/* In a child that has none of its own, the file that is mapped still is its parent's. */
HIDDEN void segment_tell_lost(void)
{
	struct wire_locks *s = segment_place;
	if (s)
		__atomic_fetch_add(&s->process_overflow, 1, __ATOMIC_RELAXED);
}

/* Where it cannot be mapped, an empty file tells of the process. */
static void *map_file(const char *name)
{
	int fd = may_be_as_large(sizeof(struct wire_locks))
			 ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)
			 : -1;
	if (fd < 0) {
		segment_tell_lost();
		return MAP_FAILED;
	}
	void *at = MAP_FAILED;
	if (leaves_addresses(sizeof(struct wire_locks)) &&
	    ftruncate(fd, sizeof(struct wire_locks)) == 0)
		at = mmap(segment_place, sizeof(struct wire_locks), PROT_READ | PROT_WRITE,
			  MAP_SHARED | (segment_place ? MAP_FIXED : 0), fd, 0);
	if (at == MAP_FAILED && ftruncate(fd, 0) != 0)
		unlink(name);
	close(fd);
	return at;
}

/*
 * There is no room: an empty file tells of it. A hook that a signal handler interrupted and forked in
 * may still have one of the parent's records, so memory that is there takes the place of them.
 */
static void give_up(void *at, const char *name)
{
	if (truncate(name, 0))
		unlink(name);
	if (segment_place &&
	    mmap(segment_place, sizeof(struct wire_locks), PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
		return;
	munmap(at, sizeof(struct wire_locks));
	segment_place = NULL;
}

HIDDEN uint64_t segment_ns(clockid_t clock)
{
	struct timespec t;
	return clock_gettime(clock, &t) ? 0
					: (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The process that forked this one. */
struct origin {
	uint32_t pid;
	uint64_t start;
};

static void fill_header(struct wire_locks *s, struct origin from)
{
	s->version = WIRE_LOCKS_VERSION;
	s->size = sizeof(*s);
	s->pid = (uint32_t)getpid();
	s->parent = (uint32_t)getppid();
	s->forked_pid = from.pid;
	s->forked_start = from.start;
	s->clock = segment_config.tsc ? WIRE_CLOCK_TSC : WIRE_CLOCK_NS;
	s->hold = segment_config.hold;
	s->start = segment_page.s.forked;
	if (!s->start) {
		s->start = segment_ns(CLOCK_MONOTONIC);
		s->cpu_start = segment_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
	s->locks_used = s->pairs_used = s->names_used = 1;
	ssize_t n = readlink("/proc/self/exe", s->program, sizeof(s->program) - 1);
	if (n < 0)
		s->program[0] = '\0';
	prctl(PR_GET_NAME, s->comm);
	s->stacks = segment_config.stacks;
	__atomic_store_n(&s->magic, WIRE_LOCKS_MAGIC, __ATOMIC_RELEASE);
}

static void configure(void)
{
	segment_config.tsc = NOW_HAS_TSC && equals(WIRE_ENV_CLOCK, "tsc");
	segment_config.vdso = getauxval(AT_SYSINFO_EHDR) &&
			      (segment_config.tsc || equals(WIRE_ENV_CLOCK, "vdso"));
	segment_config.hold = equals(WIRE_ENV_HOLD, "all")    ? WIRE_HOLD_ALL
			      : equals(WIRE_ENV_HOLD, "none") ? WIRE_HOLD_NONE
							      : WIRE_HOLD_SAMPLE;
	now_init();
}

static struct wire_locks *open_file(void)
{
	if (!segment_is_wanted())
		return NULL;
	if (madvise(&segment_page, sizeof(segment_page), MADV_WIPEONFORK) != 0) {
		segment_tell_lost();
		return NULL; /* a child could not be told from its parent */
	}
	struct origin from = { 0 };
	if (segment_place && segment_page.s.forked) {
		const struct wire_locks *parent = segment_place;
		from = (struct origin){ parent->pid, parent->start };
	}
	self_forget();
	char name[sizeof(folder) + 64];
	file_name(name, (uint64_t)getpid(), segment_ns(CLOCK_MONOTONIC));
	void *at = map_file(name);
	if (at == MAP_FAILED)
		return NULL;
	struct wire_locks *s = at;
	if (!segment_populate(s, offsetof(struct wire_locks, module)) ||
	    !segment_populate(s->lock, sizeof(s->lock[0]))) {
		give_up(s, name);
		return NULL;
	}
	if (!segment_place)
		configure();
	segment_place = at;
	segment_config.generation++;
	segment_config.stacks = segment_config.stacks && stack_room(s);
	fill_header(s, from);
	modules_read(s);
	return s;
}

/* From now on the hooks count there; NULL: they pass through. */
static void show(struct wire_locks *s)
{
	/* No lock has an odd address: none is its own seal. */
	segment_page.s.seal = s ? (uint64_t)segment_config.generation << 32 | 1 : 0;
	__atomic_store_n(&segment_page.s.open, s, __ATOMIC_RELEASE);
}

/* Where a hook ends up that finds no segment. Others pass through meanwhile. */
HIDDEN __attribute__((noinline, cold)) struct wire_locks *segment_open(void)
{
	uint32_t *tried = &segment_page.s.tried;
	if (!environ && !folder[0])
		return NULL; /* the C library is not set up yet: a lock in .preinit_array */
	if (__atomic_load_n(tried, __ATOMIC_RELAXED) ||
	    __atomic_exchange_n(tried, 1, __ATOMIC_ACQ_REL))
		return __atomic_load_n(&segment_page.s.open, __ATOMIC_ACQUIRE);
	int saved = errno, cancel;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* open is a point */
	struct wire_locks *s = NULL;
	if (calls_begin()) {
		s = open_file();
		show(s);
		calls_end();
	} else {
		segment_tell_lost();
	}
	pthread_setcancelstate(cancel, NULL);
	errno = saved;
	return s;
}

/* How many have closed it. */
static uint32_t closed;

/* When no other thread opens one any more, nor a child. */
HIDDEN void segment_close(void)
{
	calls_stop();
	calls_seal();
	__atomic_fetch_add(&closed, 1, __ATOMIC_SEQ_CST);
	struct wire_locks *s = segment_is_open();
	if (s)
		segment_page.s.closed = s;
	show(NULL);
}

HIDDEN void segment_reopen(void)
{
	calls_let();
	if (__atomic_sub_fetch(&closed, 1, __ATOMIC_SEQ_CST) == 0)
		show(segment_page.s.closed);
	if (__atomic_load_n(&closed, __ATOMIC_SEQ_CST))
		show(NULL); /* another thread closed it meanwhile */
}

/*
 * The program is listed even if it takes no lock. Programs that it starts find the environment
 * without us when they shall not be followed; the segment is open by then.
 */
__attribute__((constructor)) static void segment_start(void)
{
	struct wire_locks *s = segment();
	if (s && equals(WIRE_ENV_STACKS, "1"))
		stack_start(s);
	if (equals(WIRE_ENV_FOLLOW, "0")) {
		char *loads = getenv(LOADS);
		if (loads && !loads_cut(loads))
			unsetenv(LOADS);
		unsetenv(WIRE_ENV_FOLDER);
	}
}
