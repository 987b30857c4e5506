/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "record/lock_launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/lock_inherit.h"
#include "record/program.h"
#include "wire/filters.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* -- Clocks ------------------------------------------------------------------------------------ */

static uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t read_tsc(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static bool clock_source_is(const char *name)
{
	char clock[32] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
	if (f && fgets(clock, sizeof(clock), f))
		clock[strcspn(clock, "\n")] = '\0';
	if (f)
		fclose(f);
	return strcmp(clock, name) == 0;
}

/* Does it run evenly, on all CPUs alike? The CPU says the one, the kernel's choice the other. */
static bool tsc_is_reliable(void)
{
#if defined(__x86_64__)
	unsigned a, b, c, d;
	return clock_source_is("tsc") && __get_cpuid(0x80000007, &a, &b, &c, &d) &&
	       d & 1u << 8; /* invariant TSC */
#else
	return false;
#endif
}

#define CALIBRATE_NS 20000000 /* at least: two readings some 100 ns apart at either end */

static void calibrate(struct lock_run *r)
{
	if (!r->tsc_start)
		return;
	uint64_t ns = monotonic_ns();
	while (ns - r->ns_start < CALIBRATE_NS) {
		usleep(1000);
		ns = monotonic_ns();
	}
	r->ticks = read_tsc() - r->tsc_start;
	r->ticks_ns = ns - r->ns_start;
}

int64_t lock_run_ns(const struct lock_run *r, const struct wire_locks *p, uint64_t ticks)
{
	if (p->clock == WIRE_CLOCK_TSC && r->ticks)
		ticks = (uint64_t)((unsigned __int128)ticks * r->ticks_ns / r->ticks);
	return ticks > INT64_MAX ? INT64_MAX : (int64_t)ticks;
}

/* -- Start ------------------------------------------------------------------------------------- */

/* Those that we are under: they have not ended us. */
static int filters(void)
{
	char line[256]; /* what is longer, is another */
	int n = 0;
	FILE *f = fopen(WIRE_FILTERS_STATUS, "re");
	while (f && fgets(line, sizeof(line), f))
		wire_filters_line(line, &n);
	if (f)
		fclose(f);
	return n;
}

static void set_environment(const struct lock_run *r, const struct lock_launch_options *o)
{
	static const char *const holds[] = { "none", "sample", "all" };
	const char *before = getenv("LD_PRELOAD");
	char preload[4096], number[16];
	snprintf(number, sizeof(number), "%03d", filters());
	setenv(WIRE_ENV_FILTERS, number, 1);
	snprintf(preload, sizeof(preload), "%s%s%s", o->library, before && *before ? ":" : "",
		 before ? before : "");
	setenv("LD_PRELOAD", preload, 1);
	setenv(WIRE_ENV_FOLDER, r->folder.path, 1);
	setenv(WIRE_ENV_HOLD, holds[o->hold], 1);
	setenv(WIRE_ENV_FOLLOW, o->follow ? "1" : "0", 1);
	if (o->stacks)
		setenv(WIRE_ENV_STACKS, "1", 1);
	else
		unsetenv(WIRE_ENV_STACKS);
	if (r->tsc_start)
		setenv(WIRE_ENV_CLOCK, "tsc", 1);
	else if (clock_source_is("tsc") || clock_source_is("arch_sys_counter"))
		setenv(WIRE_ENV_CLOCK, "vdso", 1);
	else
		unsetenv(WIRE_ENV_CLOCK);
}

/* The child: tells its parent why it could not become the program. */
static _Noreturn void become(const struct lock_run *r, const struct lock_launch_options *o,
			     int tell)
{
	signal(SIGPIPE, SIG_DFL);
	set_environment(r, o);
	execvp(o->command[0], o->command);
	int why = errno;
	ssize_t n = write(tell, &why, sizeof(why));
	_exit(n == sizeof(why) ? 127 : 126);
}

static int start(struct lock_run *r, const struct lock_launch_options *o, struct err *err)
{
	int tell[2], why = 0;
	if (pipe2(tell, O_CLOEXEC))
		return err_set(err, errno, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL);
	r->ns_start = monotonic_ns();
	r->tsc_start = tsc_is_reliable() ? read_tsc() : 0;
	r->pid = fork();
	if (r->pid == 0)
		become(r, o, tell[1]);
	int failed = errno;
	close(tell[1]);
	if (r->pid > 0 && read(tell[0], &why, sizeof(why)) == sizeof(why))
		failed = why;
	close(tell[0]);
	if (r->pid < 0)
		return err_set(err, failed, "cannot fork: %s", strerror(failed));
	if (!why)
		return 0;
	waitpid(r->pid, NULL, 0);
	return err_set(err, why, "cannot run '%s': %s", o->command[0], strerror(why));
}

int lock_launch(struct lock_run *r, const struct lock_launch_options *o, struct err *err)
{
	*r = (struct lock_run){ .follow = o->follow };
	if (access(o->library, R_OK))
		return err_set(err, errno, "cannot read the preload library '%s': %s", o->library,
			       strerror(errno));
	if (strpbrk(o->library, ": "))
		return err_set(err, EINVAL,
			       "the preload library '%s' has a colon or a blank in its path, which "
			       "LD_PRELOAD cannot hold: install dwell elsewhere",
			       o->library);
	int ret = program_check(o->command[0], err);
	if (ret)
		return ret;
	ret = lock_folder_make(&r->folder, err);
	if (!ret)
		ret = start(r, o, err);
	if (ret)
		lock_run_fini(r);
	return ret;
}

/* -- End --------------------------------------------------------------------------------------- */

static pid_t child;

static void pass_on(int sig)
{
	kill(child, sig);
}

/* The terminal sends its signals to both; those sent to us alone are the program's. */
static void mind_signals(pid_t pid)
{
	child = pid;
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	struct sigaction a = { .sa_handler = pass_on };
	sigaction(SIGTERM, &a, NULL);
	sigaction(SIGHUP, &a, NULL);
}

static int64_t ns_of(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

int lock_wait(struct lock_run *r, int64_t ns, struct err *err)
{
	struct rusage u;
	uint64_t until = monotonic_ns() + (uint64_t)ns;
	mind_signals(r->pid);
	for (;;) {
		pid_t pid = wait4(r->pid, &r->status, ns ? WNOHANG : 0, &u);
		if (pid == r->pid)
			break;
		if (pid < 0 && errno != EINTR)
			return err_set(err, errno, "cannot wait for the program: %s",
				       strerror(errno));
		if (ns && monotonic_ns() >= until) {
			r->ns = (int64_t)(monotonic_ns() - r->ns_start);
			return 1;
		}
		if (ns)
			usleep(2000);
	}
	r->ns = (int64_t)(monotonic_ns() - r->ns_start);
	r->cpu_ns = ns_of(u.ru_utime) + ns_of(u.ru_stime);
	return 0;
}

const struct wire_locks *lock_run_check(const void *bytes, size_t n)
{
	const struct wire_locks *p = bytes;
	return n >= sizeof(*p) && p->magic == WIRE_LOCKS_MAGIC &&
			       p->version == WIRE_LOCKS_VERSION && p->size == sizeof(*p)
		       ? p
		       : NULL;
}

/* What of the file is no hole: all else of *to is zero. False: it became shorter meanwhile. */
static bool read_data(int fd, char *to, off_t size)
{
	for (off_t at = 0, end; at < size && (at = lseek(fd, at, SEEK_DATA)) >= 0;) {
		end = lseek(fd, at, SEEK_HOLE);
		if (end <= at)
			return false;
		end = end < size ? end : size;
		while (at < end) {
			ssize_t n = pread(fd, to + at, (size_t)(end - at), at);
			if (n <= 0)
				return false;
			at += n;
		}
	}
	return lseek(fd, 0, SEEK_END) >= size;
}

static void drop_process(const struct wire_locks *p)
{
	munmap((void *)(uintptr_t)p, sizeof(*p));
}

/*
 * A copy of a file: who counts may make it shorter at any time, and to look at a mapping of it
 * would then end us. NULL: none of ours.
 */
static const struct wire_locks *read_process(int folder, const char *name)
{
	const off_t size = sizeof(struct wire_locks);
	struct stat st;
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return NULL;
	void *at = MAP_FAILED; /* of a malloc that fills its memory, each copy would be 38 MB */
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= size)
		at = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	bool whole = at != MAP_FAILED && read_data(fd, at, size);
	close(fd);
	const struct wire_locks *p = whole ? lock_run_check(at, (size_t)size) : NULL;
	if (!p && at != MAP_FAILED)
		drop_process(at);
	return p;
}

static int by_start(const void *x, const void *y)
{
	const struct wire_locks *a = *(const struct wire_locks *const *)x;
	const struct wire_locks *b = *(const struct wire_locks *const *)y;
	return a->start != b->start ? (a->start > b->start) - (a->start < b->start)
				    : (a->pid > b->pid) - (a->pid < b->pid);
}

static void drop_processes(struct lock_run *r)
{
	vec_each (p, &r->processes)
		drop_process(*p);
	vec_fini(&r->processes);
}

/* A parent has inherited before its child: it began before. */
static void inherit(const struct lock_run *r, size_t of)
{
	struct wire_locks *p = (struct wire_locks *)(uintptr_t)r->processes.at[of];
	for (size_t i = of; i-- > 0;) {
		if (lock_is_parent(r->processes.at[i], p)) {
			lock_inherit(p, r->processes.at[i]);
			return;
		}
	}
}

/* A process that is over has its number until its parent asks for its end. */
static bool is_alive(uint32_t pid)
{
	char path[32], stat[128];
	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, stat, sizeof(stat) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return kill((pid_t)pid, 0) == 0;
	stat[n] = '\0';
	const char *name_ends = strrchr(stat, ')'); /* "PID (NAME) STATE ..." (proc(5)) */
	return !name_ends || !strchr("ZX", name_ends[1] ? name_ends[2] : 'Z');
}

bool lock_run_is_running(const struct lock_run *r, size_t i)
{
	const struct wire_locks *p = r->processes.at[i];
	return !p->end && p->pid != (uint32_t)r->pid && is_alive(p->pid);
}

bool lock_run_unseen(const struct lock_run *r, size_t i)
{
	const struct wire_locks *p = r->processes.at[i];
	bool known = p->pid == (uint32_t)r->pid && WIFSIGNALED(r->status);
	if (p->end || known || !r->follow || is_alive(p->pid))
		return false;
	for (size_t k = i + 1; k < r->processes.n; k++) {
		if (r->processes.at[k]->pid == p->pid)
			return false; /* that is what it became */
	}
	return true;
}

int lock_collect(struct lock_run *r, struct err *err)
{
	drop_processes(r);
	r->broken = r->running = r->unseen = 0;
	calibrate(r);
	DIR *d = opendir(r->folder.path);
	if (!d)
		return err_set(err, errno, "cannot read '%s': %s", r->folder.path, strerror(errno));
	for (struct dirent *e; (e = readdir(d));) {
		if (!lock_folder_has_counts(e->d_name))
			continue;
		const struct wire_locks *p = read_process(dirfd(d), e->d_name);
		if (!p) {
			r->broken++;
			continue;
		}
		vec_push(&r->processes, p);
	}
	closedir(d);
	vec_sort(&r->processes, by_start);
	for (size_t i = 0; i < r->processes.n; i++) {
		inherit(r, i);
		r->running += lock_run_is_running(r, i);
		r->unseen += lock_run_unseen(r, i);
	}
	return 0;
}

void lock_run_clear(struct lock_run *r)
{
	lock_folder_remove(&r->folder);
}

void lock_run_fini(struct lock_run *r)
{
	drop_processes(r);
	lock_run_clear(r);
}
