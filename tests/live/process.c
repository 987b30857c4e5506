/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes do to themselves while their locks are counted, for process.py. Each takes one lock
 * a known number of times: this one AT_FIRST and then LATER, a child CHILD times.
 *
 *	process CASE
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define AT_FIRST 5
#define LATER 3
#define CHILD 7
#define NOBODY 65534

#define must(expr, want)                                                                           \
	do {                                                                                       \
		long got_ = (expr);                                                                \
		if (got_ != (want)) {                                                              \
			dprintf(2, "line %d: %s is %ld, errno %d\n", __LINE__, #expr, got_,        \
				errno);                                                            \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static pthread_mutex_t taken = PTHREAD_MUTEX_INITIALIZER;

static void take(int n)
{
	for (int i = 0; i < n; i++) {
		must(pthread_mutex_lock(&taken), 0);
		must(pthread_mutex_unlock(&taken), 0);
	}
}

static void take_each(pthread_mutex_t *m, int n)
{
	for (int i = 0; i < n; i++) {
		must(pthread_mutex_lock(&m[i]), 0);
		must(pthread_mutex_unlock(&m[i]), 0);
	}
}

/* The status of a child: its exit code, or 128 and its signal. */
static int end_of(pid_t child)
{
	int status;
	must(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void fork_and_take(void)
{
	pid_t child = fork();
	if (!child) {
		take(CHILD);
		_exit(0);
	}
	must(end_of(child), 0);
}

/* -- Changes of what a process may do ------------------------------------------------------------ */

static void case_fork(void)
{
	fork_and_take();
}

static void *take_as_child(void *arg)
{
	take(CHILD);
	return arg;
}

/* Of locks that are used already, in a file that has no page for them yet. */
static void case_fork_late(void)
{
	static pthread_mutex_t many[200];
	take_each(many, 200);
	pid_t child = fork();
	if (!child) {
		pthread_t t;
		must(pthread_create(&t, NULL, take_as_child, NULL), 0);
		must(pthread_join(t, NULL), 0);
		take_each(many, 200);
		_exit(0);
	}
	must(end_of(child), 0);
}

static void *take_together(void *arg)
{
	static int come;
	__atomic_fetch_add(&come, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&come, __ATOMIC_SEQ_CST) < 2)
		;
	take(CHILD);
	return arg;
}

/* The first locks of the child are those of two threads at once. */
static void case_fork_together(void)
{
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();
		if (!child) {
			pthread_t t;
			must(pthread_create(&t, NULL, take_together, NULL), 0);
			take_together(NULL);
			must(pthread_join(t, NULL), 0);
			_exit(0);
		}
		must(end_of(child), 0);
	}
}

/* A process that runs on when the program has ended, and one of its own that is over, but not gone. */
static void case_runs_on(void)
{
	int ready[2];
	char c;
	siginfo_t info;
	must(pipe(ready), 0);
	if (fork()) {
		must(read(ready[0], &c, 1), 1);
		return;
	}
	must(prctl(PR_SET_NAME, "a\033[31m\nb"), 0);
	take(CHILD);
	pid_t child = fork();
	if (!child) {
		take(CHILD);
		_exit(0);
	}
	must(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	must(write(ready[1], "c", 1), 1);
	close(1);
	close(2);
	sleep(2);
	_exit(0);
}

static void case_close(void)
{
	must(close_range(0, ~0u, 0), 0);
	fork_and_take();
	must(open("/dev/null", O_RDONLY), 0);
}

static void case_chroot(void)
{
	must(chroot("/proc/self/fdinfo"), 0);
	must(chdir("/"), 0);
	fork_and_take();
}

static void case_user(void)
{
	must(setresgid(NOBODY, NOBODY, NOBODY), 0);
	must(setresuid(NOBODY, NOBODY, NOBODY), 0);
	fork_and_take();
}

static bool is_resident(void *page)
{
	unsigned char in = 0;
	must(mincore(page, 1, &in), 0);
	return in & 1;
}

/*
 * Memory that may be locked is summed up over all that is mapped, and the counts are mapped. One of
 * 8 MB has room for this program, one of 64 kB has not.
 */
static void case_memlock(void)
{
	int flags = MCL_CURRENT | MCL_FUTURE;
	must(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ 8 << 20, 8 << 20 }), 0);
	if (!geteuid())
		must(setresuid(NOBODY, NOBODY, NOBODY), 0);
	errno = 0;
	must(mlockall(flags), 0);
	must(errno, 0);
	must(is_resident(
		     mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
	     1);
	must(munlockall(), 0);
	must(mlockall(MCL_CURRENT), 0);
	must(munlockall(), 0);
	must(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){ 64 << 10, 64 << 10 }), 0);
	must(mlockall(flags), -1);
	must(errno, ENOMEM);
	must(mlockall(MCL_FUTURE), 0);
}

static void limit(int resource, rlim_t n)
{
	must(setrlimit((__rlimit_resource_t)resource, &(struct rlimit){ n, n }), 0);
	fork_and_take();
}

static void case_files(void)
{
	limit(RLIMIT_NOFILE, 3);
}

static void case_size(void)
{
	limit(RLIMIT_FSIZE, 1000);
}

/* -- Ways to another process or thread ------------------------------------------------------------- */

/* Both parents end at once; the grandchild's counts are there. */
static void case_daemon(void)
{
	int end[2];
	char c;
	must(pipe(end), 0);
	pid_t child = fork();
	if (!child) {
		must(setsid() > 0, 1);
		if (fork())
			_exit(0);
		take(CHILD);
		_exit(0);
	}
	must(end_of(child), 0);
	close(end[1]);
	must(read(end[0], &c, 1), 0); /* until the last of them has gone */
}

static void case_inner(void)
{
}

static void case_vfork(void)
{
	pid_t child = vfork();
	if (!child) {
		execl("/no/such/program", "x", NULL);
		_exit(9);
	}
	must(end_of(child), 9);
	child = vfork();
	if (!child) {
		execl("/proc/self/exe", "process", "inner", NULL);
		_exit(9);
	}
	must(end_of(child), 0);
}

static void spawn_inner(void)
{
	char *args[] = { "process", "inner", NULL };
	pid_t child;
	must(posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, environ), 0);
	must(end_of(child), 0);
}

/* What a child by vfork takes from itself is not taken from us, though it has our memory. */
static void case_vfork_sealed(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ftruncate, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(code[0]), code };
	pid_t child = vfork();
	if (!child) {
		must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
		must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
		execl("/proc/self/exe", "process", "inner", NULL);
		_exit(9);
	}
	must(end_of(child), 0);
	spawn_inner();
	fork_and_take();
}

/* A process that was forked is counted without it. */
static void case_clearenv(void)
{
	must(clearenv(), 0);
	fork_and_take();
}

static void case_spawn(void)
{
	spawn_inner();
}

static char *program; /* an argument: one into which nothing may be loaded */

static void become(int way, char *path, char *name)
{
	char *args[] = { name, "x", NULL };
	switch (way) {
	case 0:
		execve(path, args, environ);
		break;
	case 1:
		execv(path, args);
		break;
	case 2:
		execvp(name, args);
		break;
	case 3:
		execvpe(name, args, environ);
		break;
	case 4:
		execl(path, name, "x", NULL);
		break;
	case 5:
		execlp(name, name, "x", NULL);
		break;
	default:
		execle(path, name, "x", NULL, environ);
	}
}

/* By all ways that lead to a program. */
static void case_strange(void)
{
	char path[200], *slash;
	pid_t child;
	snprintf(path, sizeof(path), "%s", program);
	slash = strrchr(path, '/');
	must(slash != NULL, 1);
	*slash = '\0';
	must(setenv("PATH", path, 1), 0);
	for (int way = 0; way < 7; way++) {
		child = way % 2 ? fork() : vfork();
		if (!child) {
			become(way, program, slash + 1);
			_exit(99);
		}
		must(end_of(child), 0);
	}
	char *args[] = { slash + 1, NULL };
	must(posix_spawn(&child, program, NULL, NULL, args, environ), 0);
	must(end_of(child), 0);
	must(posix_spawnp(&child, slash + 1, NULL, NULL, args, environ), 0);
	must(end_of(child), 0);
}

/* Nothing is loaded into a program that gets another environment. */
static void case_environment(void)
{
	char *args[] = { "process", "inner", NULL }, *none[] = { NULL };
	pid_t child;
	must(posix_spawn(&child, "/proc/self/exe", NULL, NULL, args, none), 0);
	must(end_of(child), 0);
}

static int take_in_clone(void *arg)
{
	(void)arg;
	take(CHILD);
	return 0;
}

/* A thread that the C library does not know; it shares the thread-local memory of this one. */
static void case_clone(void)
{
	static char stack[1 << 18] __attribute__((aligned(64)));
	pid_t child = clone(take_in_clone, stack + sizeof(stack),
			    CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | SIGCHLD, NULL);
	must(end_of(child), 0);
}

/* A fork that no handler of the C library sees. */
static void case_clone3(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	pid_t child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (!child) {
		take(CHILD);
		_exit(0);
	}
	must(end_of(child), 0);
}

static void end_by_abort(void)
{
	abort();
}

static void end_by_kill(void)
{
	raise(SIGKILL);
}

static void end_quickly(void)
{
	quick_exit(4);
}

static void end_by_call(void)
{
	syscall(SYS_exit_group, 6);
}

static void case_ends(void)
{
	static const struct {
		void (*end)(void);
		int status;
	} ends[] = { { end_by_abort, 128 + SIGABRT },
		     { end_by_kill, 128 + SIGKILL },
		     { end_quickly, 4 },
		     { end_by_call, 6 } };
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		pid_t child = fork();
		if (!child) {
			take(CHILD);
			ends[i].end();
		}
		must(end_of(child), ends[i].status);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "fork-late", case_fork_late },
	{ "fork-together", case_fork_together },
	{ "runs-on", case_runs_on },
	{ "vfork-sealed", case_vfork_sealed },
	{ "clearenv", case_clearenv },
	{ "fork", case_fork },
	{ "close", case_close },
	{ "chroot", case_chroot },
	{ "user", case_user },
	{ "memlock", case_memlock },
	{ "files", case_files },
	{ "size", case_size },
	{ "daemon", case_daemon },
	{ "inner", case_inner },
	{ "vfork", case_vfork },
	{ "spawn", case_spawn },
	{ "environment", case_environment },
	{ "strange", case_strange },
	{ "clone", case_clone },
	{ "clone3", case_clone3 },
	{ "ends", case_ends },
};

int main(int argc, char **argv)
{
	program = argc == 3 ? argv[2] : NULL;
	for (size_t i = 0; argc >= 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(argv[1], cases[i].name) != 0)
			continue;
		take(AT_FIRST);
		cases[i].run();
		take(LATER);
		return 0;
	}
	return 2;
}
