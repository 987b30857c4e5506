/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program whose locks have known answers, for locks.py: each is taken so many times, waited for
 * so many times and so long, and moved to another CPU when it says so. Every lock has a name of
 * its own. Fails by its exit code when a function returns what it should not.
 *
 *	known CASE
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 30
#define WAITS 3
#define TAKES 1000

#define must(expr, want)                                                                           \
	do {                                                                                       \
		int got_ = (expr);                                                                 \
		if (got_ != (want)) {                                                              \
			fprintf(stderr, "line %d: %s is %d\n", __LINE__, #expr, got_);             \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
	nanosleep(&t, NULL);
}

/* The first letter of a task's state: 'S' where it sleeps in its wait. */
static char state_of(pid_t pid)
{
	char path[32], stat[128] = "";
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *f = fopen(path, "r");
	must(f != NULL, true);
	must(fgets(stat, sizeof(stat), f) != NULL, true);
	fclose(f);
	const char *name_end = strrchr(stat, ')');
	must(name_end != NULL, true);
	return name_end[2];
}

/* WAIT_MS from the moment at which the first thread of a process sleeps: a busy machine is late. */
static void let_wait(pid_t pid)
{
	while (state_of(pid) != 'S')
		sleep_ms(1);
	sleep_ms(WAIT_MS);
}

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec t;
	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static bool go_to_cpu(int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) == 0;
}

/*
 * A holder has the lock for WAIT_MS, and this thread waits for it: WAITS times. take() and let()
 * are a lock's two ends, for this thread and the holder alike.
 */
struct ends {
	void (*take)(void), (*let)(void);
};
static int held, waiting; /* atomic */
static bool spins;        /* who waits does not sleep */

static void *holder(void *arg)
{
	const struct ends *e = arg;
	e->take();
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
		sched_yield();
	if (spins)
		sleep_ms(WAIT_MS);
	else
		let_wait(getpid());
	e->let();
	return NULL;
}

static void wait_for(void (*take)(void), void (*let)(void), void (*wait)(void))
{
	struct ends e = { take, let };
	for (int i = 0; i < WAITS; i++) {
		pthread_t t;
		__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
		__atomic_store_n(&waiting, 0, __ATOMIC_RELEASE);
		must(pthread_create(&t, NULL, holder, &e), 0);
		while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
			sched_yield();
		__atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
		wait();
		must(pthread_join(t, NULL), 0);
	}
}

/* Before anything is set up, also the C library: it is not counted, but what comes after it is. */
static pthread_mutex_t early = PTHREAD_MUTEX_INITIALIZER;

static void take_early(void)
{
	pthread_mutex_lock(&early);
	pthread_mutex_unlock(&early);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = take_early;

/* -- Mutexes ----------------------------------------------------------------------------------- */

static pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t typed, recursive, checking, robust, inherit, adaptive, protect, ceiling;
static pthread_mutex_t *now_used;

static void __attribute__((noinline)) mutex_take(void)
{
	must(pthread_mutex_lock(now_used), 0);
}

static void __attribute__((noinline)) mutex_let(void)
{
	must(pthread_mutex_unlock(now_used), 0);
}

static void __attribute__((noinline)) mutex_wait(void)
{
	must(pthread_mutex_lock(now_used), 0);
	must(pthread_mutex_unlock(now_used), 0);
}

static void use_mutex(pthread_mutex_t *m)
{
	now_used = m;
	for (int i = 0; i < TAKES; i++)
		mutex_wait();
	wait_for(mutex_take, mutex_let, mutex_wait);
}

static void make(pthread_mutex_t *m, int type, int robustness, int protocol)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	must(pthread_mutexattr_settype(&a, type), 0);
	must(pthread_mutexattr_setrobust(&a, robustness), 0);
	must(pthread_mutexattr_setprotocol(&a, protocol), 0);
	must(pthread_mutex_init(m, &a), 0);
}

static void *die_with(void *arg)
{
	must(pthread_mutex_lock(arg), 0);
	return NULL;
}

static void case_mutex(void)
{
	use_mutex(&normal);
}

static void case_kinds(void)
{
	const int stalled = PTHREAD_MUTEX_STALLED, none = PTHREAD_PRIO_NONE;
	make(&recursive, PTHREAD_MUTEX_RECURSIVE, stalled, none);
	make(&checking, PTHREAD_MUTEX_ERRORCHECK, stalled, none);
	make(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, stalled, none);
	make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, none);
	make(&inherit, PTHREAD_MUTEX_NORMAL, stalled, PTHREAD_PRIO_INHERIT);
	use_mutex(&recursive);
	use_mutex(&checking);
	use_mutex(&adaptive);
	use_mutex(&robust);
	use_mutex(&inherit);

	/* Nested: one more acquisition, not three. */
	for (int i = 0; i < 3; i++)
		must(pthread_mutex_lock(&recursive), 0);
	for (int i = 0; i < 3; i++)
		must(pthread_mutex_unlock(&recursive), 0);
	must(pthread_mutex_unlock(&recursive), EPERM);

	/* Refused: one that failed, no acquisition for the wrong unlock. */
	must(pthread_mutex_lock(&checking), 0);
	must(pthread_mutex_lock(&checking), EDEADLK);
	must(pthread_mutex_trylock(&checking), EBUSY);
	must(pthread_mutex_unlock(&checking), 0);
	must(pthread_mutex_unlock(&checking), EPERM);

	pthread_t t;
	must(pthread_create(&t, NULL, die_with, &robust), 0);
	must(pthread_join(t, NULL), 0);
	must(pthread_mutex_lock(&robust), EOWNERDEAD);
	must(pthread_mutex_consistent(&robust), 0);
	must(pthread_mutex_unlock(&robust), 0);
}

static void *try_busy(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	must(pthread_mutex_trylock(arg), EBUSY);
	must(pthread_mutex_timedlock(arg, &t), ETIMEDOUT);
	t = in_ms(CLOCK_MONOTONIC, 10);
	must(pthread_mutex_clocklock(arg, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	return NULL;
}

static void __attribute__((noinline)) ceiling_take(int want)
{
	must(pthread_mutex_lock(&ceiling), want);
}

/* Who takes it gets its priority, and so must be of a real-time class already (glibc, nptl/tpp.c). */
static void case_protect(void)
{
	struct sched_param p = { .sched_priority = 1 };
	if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &p))
		exit(77);
	make(&protect, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
	int before;
	must(pthread_mutex_setprioceiling(&protect, 2, &before), 0);
	use_mutex(&protect);
	must(pthread_mutex_trylock(&protect), 0);
	must(sched_getparam(0, &p), 0);
	must(p.sched_priority, 2);
	must(pthread_mutex_lock(&protect), EDEADLK);
	must(pthread_mutex_trylock(&protect), EDEADLK); /* (not EBUSY: glibc's own way) */
	pthread_t t;
	must(pthread_create(&t, NULL, try_busy, &protect), 0);
	must(pthread_join(t, NULL), 0);
	must(pthread_mutex_unlock(&protect), 0);
	must(sched_getparam(0, &p), 0);
	must(p.sched_priority, 1);
	struct timespec until = in_ms(CLOCK_REALTIME, 60000);
	must(pthread_mutex_timedlock(&protect, &until), 0);
	must(pthread_mutex_unlock(&protect), 0);
	until = in_ms(CLOCK_MONOTONIC, 60000);
	must(pthread_mutex_clocklock(&protect, CLOCK_MONOTONIC, &until), 0);
	must(pthread_mutex_unlock(&protect), 0);

	/* Above its ceiling nobody may take it, nor at a place that has taken it often. */
	make(&ceiling, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
	must(pthread_mutex_setprioceiling(&ceiling, 2, &before), 0);
	for (int i = 0; i < 1000; i++) {
		ceiling_take(0);
		must(pthread_mutex_unlock(&ceiling), 0);
	}
	p.sched_priority = 3;
	must(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p), 0);
	for (int i = 0; i < 10; i++)
		ceiling_take(EINVAL);
	must(pthread_mutex_trylock(&protect), EINVAL);
}

/*
 * All ways into a normal mutex at once, and signals that end a wait too early: one thread at a time is
 * in it, errno stays, and when all have let it go nobody is on record as its user.
 */
#define CROWD 4
#define CROWD_TURNS 500

static int inside[2]; /* plain on purpose */

static void be_inside(pthread_mutex_t *m)
{
	int *in = &inside[m == &typed];
	must(errno, ENXIO);
	must((*in)++, 0);
	must(m->__data.__owner, gettid());
	sched_yield(); /* others come to the door */
	must(--*in, 0);
	must(pthread_mutex_unlock(m), 0);
}

static void *crowd(void *m)
{
	for (int i = 0; i < CROWD_TURNS; i++) {
		errno = ENXIO;
		must(pthread_mutex_lock(m), 0);
		be_inside(m);
		must(pthread_mutex_lock(m), 0);
		be_inside(m);
		struct timespec until = in_ms(CLOCK_REALTIME, 60000);
		must(pthread_mutex_timedlock(m, &until), 0);
		be_inside(m);
		while (pthread_mutex_trylock(m))
			sched_yield();
		be_inside(m);
	}
	return NULL;
}

static void interrupt(int sig)
{
	(void)sig;
}

static void case_crowd(void)
{
	struct sigaction act = { .sa_handler = interrupt };
	must(sigaction(SIGALRM, &act, NULL), 0);
	const struct itimerval every = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };
	must(setitimer(ITIMER_REAL, &every, NULL), 0);
	make(&typed, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	pthread_t t[2 * CROWD];
	for (int i = 0; i < 2 * CROWD; i++)
		must(pthread_create(&t[i], NULL, crowd, i < CROWD ? &normal : &typed), 0);
	for (int i = 0; i < 2 * CROWD; i++)
		must(pthread_join(t[i], NULL), 0);
	must(setitimer(ITIMER_REAL, &never, NULL), 0);
	must(pthread_mutex_destroy(&normal), 0);
	must(pthread_mutex_destroy(&typed), 0);
}

/* Two tries that succeed; of another thread one that fails, and two waits that time out. */
static void case_try(void)
{
	pthread_t t;
	for (int i = 0; i < 2; i++) {
		must(pthread_mutex_trylock(&normal), 0);
		if (i) {
			must(pthread_create(&t, NULL, try_busy, &normal), 0);
			must(pthread_join(t, NULL), 0);
		}
		must(pthread_mutex_unlock(&normal), 0);
	}
}

/* Ten acquisitions on CPU 0 and CPU 1 in turn: nine bounces. Tries move nothing. */
static void case_bounce(void)
{
	for (int i = 0; i < 10; i++) {
		if (!go_to_cpu(i % 2))
			exit(77);
		must(pthread_mutex_lock(&normal), 0);
		must(pthread_mutex_unlock(&normal), 0);
		go_to_cpu((i + 1) % 2);
		must(pthread_mutex_trylock(&normal), 0);
		must(pthread_mutex_unlock(&normal), 0);
	}
}

static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;

/* Holds of known length; the reader's is the first of its thread. */
static void case_hold(void)
{
	must(pthread_rwlock_rdlock(&rw), 0);
	sleep_ms(WAIT_MS);
	must(pthread_rwlock_unlock(&rw), 0);
	must(pthread_mutex_lock(&normal), 0);
	sleep_ms(WAIT_MS);
	must(pthread_mutex_unlock(&normal), 0);
}

/* The same address again and again: one class of TAKES locks. */
static void case_destroy(void)
{
	pthread_mutex_t *m = malloc(sizeof(*m));
	for (int i = 0; i < TAKES; i++) {
		must(pthread_mutex_init(m, NULL), 0);
		must(pthread_mutex_lock(m), 0);
		must(pthread_mutex_unlock(m), 0);
		must(pthread_mutex_destroy(m), 0);
	}
	free(m);
}

/* The same address, now another kind: what a thread remembers of it must not go on. */
static void case_again(void)
{
	pthread_mutex_t *m = malloc(sizeof(*m));
	for (int i = 0; i < TAKES; i++) {
		must(pthread_mutex_init(m, NULL), 0);
		must(pthread_mutex_lock(m), 0);
		must(pthread_mutex_unlock(m), 0);
		must(pthread_mutex_destroy(m), 0);
		make(m, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
		must(pthread_mutex_trylock(m), 0);
		must(pthread_mutex_lock(m), 0);
		must(pthread_mutex_unlock(m), 0);
		must(pthread_mutex_unlock(m), 0);
		must(pthread_mutex_unlock(m), EPERM);
		must(pthread_mutex_destroy(m), 0);
	}
	free(m);
}

/* Variables, made anew on the other CPU: another lock, which has bounced from nowhere. */
static void case_renew(void)
{
	for (int i = 0; i < 20; i++) {
		if (!go_to_cpu(i % 2))
			exit(77);
		make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
		must(pthread_mutex_lock(&recursive), 0);
		must(pthread_mutex_trylock(&recursive), 0);
		must(pthread_mutex_unlock(&recursive), 0);
		must(pthread_mutex_unlock(&recursive), 0);
		must(pthread_mutex_destroy(&recursive), 0);
		must(pthread_rwlock_init(&rw, NULL), 0);
		must(pthread_rwlock_wrlock(&rw), 0);
		must(pthread_rwlock_unlock(&rw), 0);
		must(pthread_rwlock_rdlock(&rw), 0);
		must(pthread_rwlock_unlock(&rw), 0);
		must(pthread_rwlock_destroy(&rw), 0);
	}
}

/* Locks within locks, let go in any order, each more often than the one before. */
static pthread_mutex_t nest[3];

static void case_nested(void)
{
	for (int i = 0; i < TAKES; i++) {
		for (int k = 0; k < 3; k++)
			must(pthread_mutex_lock(&nest[k]), 0);
		for (int k = 0; k < 3; k++)
			must(pthread_mutex_unlock(&nest[(k + i) % 3]), 0);
		must(pthread_mutex_lock(&nest[1]), 0);
		must(pthread_mutex_unlock(&nest[1]), 0);
	}
}

/* Nobody initialises it: known by the place that takes it. */
static void __attribute__((noinline)) take_zeroed(pthread_mutex_t *m)
{
	must(pthread_mutex_lock(m), 0);
	must(pthread_mutex_unlock(m), 0);
}

static void case_zeroed(void)
{
	for (int i = 0; i < 10; i++) {
		pthread_mutex_t *m = calloc(1, sizeof(*m));
		for (int k = 0; k < 10; k++)
			take_zeroed(m);
	}
}

/* The owner of a robust mutex died, and nobody made it consistent. */
static void case_dead(void)
{
	pthread_t t;
	make(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	must(pthread_create(&t, NULL, die_with, &robust), 0);
	must(pthread_join(t, NULL), 0);
	must(pthread_mutex_trylock(&robust), EOWNERDEAD);
	must(pthread_mutex_unlock(&robust), 0);
	must(pthread_mutex_lock(&robust), ENOTRECOVERABLE);
	must(pthread_mutex_lock(&robust), ENOTRECOVERABLE);
	must(pthread_mutex_trylock(&robust), ENOTRECOVERABLE);
	must(pthread_mutex_destroy(&robust), 0);
}

/* The holder is on CPU 0, who waits on CPU 1: every wait is a bounce, each way. */
static void on_first_cpu(void)
{
	if (!go_to_cpu(0))
		exit(77);
	must(pthread_mutex_lock(&normal), 0);
}

static void let_normal(void)
{
	must(pthread_mutex_unlock(&normal), 0);
}

static void on_second_cpu(void)
{
	must(pthread_mutex_lock(&normal), 0);
	must(pthread_mutex_unlock(&normal), 0);
}

static void case_apart(void)
{
	if (!go_to_cpu(1))
		exit(77);
	wait_for(on_first_cpu, let_normal, on_second_cpu);
}

/* More locks than there is room for. */
#define MANY 20000
static pthread_mutex_t many[MANY];

static void case_many(void)
{
	for (int i = 0; i < MANY; i++) {
		must(pthread_mutex_lock(&many[i]), 0);
		must(pthread_mutex_unlock(&many[i]), 0);
	}
}

/* -- Others ------------------------------------------------------------------------------------ */

static void __attribute__((noinline)) rw_take(void)
{
	must(pthread_rwlock_wrlock(&rw), 0);
}

static void rw_let(void)
{
	must(pthread_rwlock_unlock(&rw), 0);
}

static void __attribute__((noinline)) rw_read(void)
{
	must(pthread_rwlock_rdlock(&rw), 0);
	must(pthread_rwlock_unlock(&rw), 0);
}

/* As in case_apart(), of a lock whose acquisitions are not all looked at any more: the writer is asked. */
static void rw_on_first_cpu(void)
{
	if (!go_to_cpu(0))
		exit(77);
	rw_take();
}

static void case_apart_old(void)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		if (!go_to_cpu(cpu))
			exit(77);
		for (int i = 0; i < TAKES; i++) {
			rw_read();
			rw_take();
			rw_let();
		}
	}
	wait_for(rw_on_first_cpu, rw_let, rw_read);
}

static void *rw_busy(void *arg)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	must(pthread_rwlock_tryrdlock(arg), EBUSY);
	must(pthread_rwlock_timedrdlock(arg, &t), ETIMEDOUT);
	must(pthread_rwlock_timedwrlock(arg, &t), ETIMEDOUT);
	t = in_ms(CLOCK_MONOTONIC, 10);
	must(pthread_rwlock_clockrdlock(arg, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	must(pthread_rwlock_clockwrlock(arg, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	return NULL;
}

static void case_rwlock(void)
{
	pthread_t t;
	for (int i = 0; i < TAKES; i++)
		rw_read();
	wait_for(rw_take, rw_let, rw_read);
	must(pthread_rwlock_tryrdlock(&rw), 0);
	must(pthread_rwlock_tryrdlock(&rw), 0);
	rw_let();
	rw_let();
	must(pthread_rwlock_trywrlock(&rw), 0);
	must(pthread_rwlock_wrlock(&rw), EDEADLK);
	must(pthread_create(&t, NULL, rw_busy, &rw), 0);
	must(pthread_join(t, NULL), 0);
	rw_let();
}

static void __attribute__((noinline)) rw_look(void)
{
	must(pthread_rwlock_rdlock(&rw), 0);
}

static pid_t writer;

static void *write_for_long(void *arg)
{
	__atomic_store_n(&writer, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	rw_take();
	sleep_ms(WAIT_MS);
	rw_let();
	return arg;
}

/*
 * A reader lets go for a writer that waits, and comes back: the writer has the lock by then, though it
 * may have to wake up yet.
 */
static void case_hand_over(void)
{
	for (int i = 0; i < WAITS; i++) {
		pthread_t t;
		writer = 0;
		rw_look();
		must(pthread_create(&t, NULL, write_for_long, NULL), 0);
		for (pid_t who = 0; !who || state_of(who) != 'S'; sleep_ms(1))
			who = __atomic_load_n(&writer, __ATOMIC_ACQUIRE);
		rw_let();
		rw_look();
		rw_let();
		must(pthread_join(t, NULL), 0);
	}
}

static pthread_spinlock_t spin;

static void spin_take(void)
{
	must(pthread_spin_lock(&spin), 0);
}

static void spin_let(void)
{
	must(pthread_spin_unlock(&spin), 0);
}

static void spin_wait(void)
{
	spin_take();
	spin_let();
}

static void case_spin(void)
{
	must(pthread_spin_init(&spin, 0), 0);
	for (int i = 0; i < TAKES; i++)
		spin_wait();
	spins = true;
	wait_for(spin_take, spin_let, spin_wait);
	must(pthread_spin_trylock(&spin), 0);
	must(pthread_spin_trylock(&spin), EBUSY);
	spin_let();
}

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *signal_later(void *arg)
{
	let_wait(getpid());
	must(pthread_mutex_lock(&normal), 0);
	ready = true;
	must(pthread_cond_broadcast(&cond), 0);
	must(pthread_mutex_unlock(&normal), 0);
	return arg;
}

static void case_cond(void)
{
	for (int i = 0; i < WAITS; i++) {
		pthread_t t;
		ready = false;
		must(pthread_create(&t, NULL, signal_later, NULL), 0);
		must(pthread_mutex_lock(&normal), 0);
		while (!ready)
			must(pthread_cond_wait(&cond, &normal), 0);
		must(pthread_mutex_unlock(&normal), 0);
		must(pthread_join(t, NULL), 0);
	}
	must(pthread_mutex_lock(&normal), 0);
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	must(pthread_cond_timedwait(&cond, &normal, &t), ETIMEDOUT);
	t = in_ms(CLOCK_MONOTONIC, 10);
	must(pthread_cond_clockwait(&cond, &normal, CLOCK_MONOTONIC, &t), ETIMEDOUT);
	must(pthread_mutex_unlock(&normal), 0);
}

static sem_t sem;

static void *post_later(void *arg)
{
	let_wait(getpid());
	must(sem_post(&sem), 0);
	return arg;
}

static void case_sem(void)
{
	must(sem_init(&sem, 0, 0), 0);
	for (int i = 0; i < TAKES; i++) {
		must(sem_post(&sem), 0);
		must(i % 2 ? sem_wait(&sem) : sem_trywait(&sem), 0);
	}
	for (int i = 0; i < WAITS; i++) {
		pthread_t t;
		must(pthread_create(&t, NULL, post_later, NULL), 0);
		must(sem_wait(&sem), 0);
		must(pthread_join(t, NULL), 0);
	}
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	must(sem_timedwait(&sem, &t), -1);
	must(errno, ETIMEDOUT);
	t = in_ms(CLOCK_MONOTONIC, 10);
	must(sem_clockwait(&sem, CLOCK_MONOTONIC, &t), -1);
}

/* The waits of conditions and semaphores that end, but come before. */
static void *signal_normal(void *arg)
{
	let_wait(getpid());
	must(pthread_mutex_lock(&normal), 0);
	ready = true;
	must(pthread_cond_signal(arg), 0);
	must(pthread_mutex_unlock(&normal), 0);
	return NULL;
}

static void come_before(int how)
{
	pthread_t t;
	struct timespec real = in_ms(CLOCK_REALTIME, 60000), mono = in_ms(CLOCK_MONOTONIC, 60000);
	ready = false;
	must(pthread_create(&t, NULL, how == 3 ? post_later : signal_normal, &cond), 0);
	if (how == 3) {
		must(sem_clockwait(&sem, CLOCK_MONOTONIC, &mono), 0);
	} else {
		must(pthread_mutex_lock(&normal), 0);
		while (!ready && how == 1)
			must(pthread_cond_timedwait(&cond, &normal, &real), 0);
		while (!ready)
			must(pthread_cond_clockwait(&cond, &normal, CLOCK_MONOTONIC, &mono), 0);
		must(pthread_mutex_unlock(&normal), 0);
	}
	must(pthread_join(t, NULL), 0);
}

static void case_before(void)
{
	must(sem_init(&sem, 0, 0), 0);
	for (int how = 1; how <= 3; how++)
		come_before(how);
	pthread_t t;
	struct timespec real = in_ms(CLOCK_REALTIME, 60000);
	must(pthread_create(&t, NULL, post_later, NULL), 0);
	must(sem_timedwait(&sem, &real), 0);
	must(pthread_join(t, NULL), 0);
}

/* A thread that is cancelled in a wait has the mutex, and its handler lets it go. */
static void let_cancelled(void *arg)
{
	must(pthread_mutex_unlock(arg), 0);
}

static void *wait_for_ever(void *arg)
{
	(void)arg;
	must(pthread_mutex_lock(&normal), 0);
	pthread_cleanup_push(let_cancelled, &normal);
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	for (;;)
		pthread_cond_wait(&cond, &normal);
	pthread_cleanup_pop(0);
	return NULL;
}

static void case_cancel(void)
{
	pthread_t t;
	void *result;
	must(pthread_create(&t, NULL, wait_for_ever, NULL), 0);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		sched_yield();
	must(pthread_mutex_lock(&normal), 0); /* it waits by now */
	must(pthread_mutex_unlock(&normal), 0);
	must(pthread_cancel(t), 0);
	must(pthread_join(t, &result), 0);
	must(result == PTHREAD_CANCELED, true);
	must(pthread_mutex_lock(&normal), 0);
	must(pthread_mutex_unlock(&normal), 0);
}

static pthread_barrier_t barrier;

static void *come_later(void *arg)
{
	let_wait(getpid());
	must(pthread_barrier_wait(&barrier), PTHREAD_BARRIER_SERIAL_THREAD);
	return arg;
}

static void case_barrier(void)
{
	must(pthread_barrier_init(&barrier, NULL, 2), 0);
	for (int i = 0; i < WAITS; i++) {
		pthread_t t;
		must(pthread_create(&t, NULL, come_later, NULL), 0);
		must(pthread_barrier_wait(&barrier), 0);
		must(pthread_join(t, NULL), 0);
	}
}

static mtx_t mtx;
static cnd_t cnd;

static void mtx_take(void)
{
	must(mtx_lock(&mtx), thrd_success);
}

static void mtx_let(void)
{
	must(mtx_unlock(&mtx), thrd_success);
}

static void mtx_wait(void)
{
	mtx_take();
	mtx_let();
}

static void case_c11(void)
{
	must(mtx_init(&mtx, mtx_timed), thrd_success);
	must(cnd_init(&cnd), thrd_success);
	for (int i = 0; i < TAKES; i++)
		mtx_wait();
	wait_for(mtx_take, mtx_let, mtx_wait);
	must(mtx_trylock(&mtx), thrd_success);
	must(mtx_trylock(&mtx), thrd_busy);
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	must(mtx_timedlock(&mtx, &t), thrd_timedout);
	must(cnd_timedwait(&cnd, &mtx, &t), thrd_timedout);
	must(cnd_signal(&cnd), thrd_success);
	mtx_let();
	mtx_destroy(&mtx);
	cnd_destroy(&cnd);
}

static int cnd_turns; /* what who waits has seen; guarded by mtx */

static void *cnd_later(void *all)
{
	let_wait(getpid());
	mtx_take();
	cnd_turns++;
	must(all ? cnd_broadcast(&cnd) : cnd_signal(&cnd), thrd_success);
	mtx_let();
	return NULL;
}

/* Each way to wait for a condition, woken by each way to signal; one that runs out. */
static void case_cnd(void)
{
	must(mtx_init(&mtx, mtx_plain | mtx_recursive), thrd_success);
	must(cnd_init(&cnd), thrd_success);
	struct timespec long_until = in_ms(CLOCK_REALTIME, 60000);
	for (int i = 0; i < 4; i++) {
		pthread_t t;
		must(pthread_create(&t, NULL, cnd_later, i % 2 ? &cnd : NULL), 0);
		mtx_take();
		while (cnd_turns == i)
			must(i < 2 ? cnd_wait(&cnd, &mtx) : cnd_timedwait(&cnd, &mtx, &long_until),
			     thrd_success);
		mtx_let();
		must(pthread_join(t, NULL), 0);
	}
	mtx_take();
	struct timespec t = in_ms(CLOCK_REALTIME, 10);
	must(cnd_timedwait(&cnd, &mtx, &t), thrd_timedout);
	mtx_take(); /* nested: none */
	must(mtx_trylock(&mtx), thrd_success);
	for (int i = 0; i < 3; i++)
		mtx_let();
	must(mtx_unlock(&mtx), thrd_error);
}

/* Waits that have an end, but get it before. */
static clockid_t until_clock;
static bool until_has_clock;

static void __attribute__((noinline)) mutex_until(void)
{
	struct timespec t = in_ms(until_clock, 60000);
	must(until_has_clock ? pthread_mutex_clocklock(&normal, until_clock, &t)
			     : pthread_mutex_timedlock(&normal, &t),
	     0);
	must(pthread_mutex_unlock(&normal), 0);
}

static void write_until(void)
{
	struct timespec t = in_ms(until_clock, 60000);
	must(until_has_clock ? pthread_rwlock_clockwrlock(&rw, until_clock, &t)
			     : pthread_rwlock_timedwrlock(&rw, &t),
	     0);
	must(pthread_rwlock_unlock(&rw), 0);
}

static void read_until(void)
{
	struct timespec t = in_ms(until_clock, 60000);
	must(until_has_clock ? pthread_rwlock_clockrdlock(&rw, until_clock, &t)
			     : pthread_rwlock_timedrdlock(&rw, &t),
	     0);
	must(pthread_rwlock_unlock(&rw), 0);
}

static void mtx_until(void)
{
	struct timespec t = in_ms(CLOCK_REALTIME, 60000);
	must(mtx_timedlock(&mtx, &t), thrd_success);
	must(mtx_unlock(&mtx), thrd_success);
}

/* Each kind waits WAITS times, of each clock. */
static void case_until(void)
{
	for (int clock = 0; clock < 2; clock++) {
		until_has_clock = clock;
		until_clock = clock ? CLOCK_MONOTONIC : CLOCK_REALTIME;
		now_used = &normal;
		wait_for(mutex_take, mutex_let, mutex_until);
		wait_for(rw_take, rw_let, write_until);
		wait_for(rw_take, rw_let, read_until);
	}
	must(mtx_init(&mtx, mtx_timed | mtx_recursive), thrd_success);
	wait_for(mtx_take, mtx_let, mtx_until);
}

static int word;

static void *wake_later(void *arg)
{
	let_wait(getpid());
	__atomic_store_n(&word, 1, __ATOMIC_RELEASE);
	must((int)syscall(SYS_futex, &word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0), 1);
	return arg;
}

static void case_futex(void)
{
	pthread_t t;
	must(pthread_create(&t, NULL, wake_later, NULL), 0);
	must((int)syscall(SYS_futex, &word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, NULL, NULL, 0), 0);
	must(pthread_join(t, NULL), 0);
	must((int)syscall(SYS_getpid), getpid());
	must((int)syscall(SYS_close, -1), -1);
	must(errno, EBADF);
}

/* -- Processes --------------------------------------------------------------------------------- */

static void take_and_let(int n)
{
	for (int i = 0; i < n; i++)
		mutex_wait();
}

/* Threads that come and go. */
static void *take_ten(void *arg)
{
	take_and_let(10);
	return arg;
}

static void case_threads(void)
{
	now_used = &normal;
	for (int i = 0; i < 200; i++) {
		pthread_t t;
		must(pthread_create(&t, NULL, take_ten, NULL), 0);
		take_and_let(1);
		must(pthread_join(t, NULL), 0);
	}
}

/*
 * Signals in the middle of everything: a handler that posts, which it may, and one that takes a lock
 * of its own, which works as long as nobody else takes it.
 */
static pthread_mutex_t of_handler = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t came;

static void on_alarm(int number)
{
	(void)number;
	int saved = errno;
	sem_post(&sem);
	pthread_mutex_lock(&of_handler);
	pthread_mutex_unlock(&of_handler);
	came++;
	errno = saved;
}

static void case_signals(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	must(sem_init(&sem, 0, 0), 0);
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	now_used = &normal;
	int taken = 0;
	while (came < 200) {
		take_and_let(TAKES);
		taken += TAKES;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%d %d\n", taken, (int)came);
}

/* In memory that two processes share: each counts what it did. */
static void case_shared(void)
{
	pthread_mutexattr_t a;
	pthread_mutexattr_init(&a);
	must(pthread_mutexattr_setpshared(&a, PTHREAD_PROCESS_SHARED), 0);
	pthread_mutex_t *m =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(m != MAP_FAILED, true);
	must(pthread_mutex_init(m, &a), 0);
	sleep_ms(1); /* what is made as good as with a fork may have been made after it */
	must(pthread_mutex_lock(m), 0);
	pid_t pid = fork();
	if (!pid) {
		must(pthread_mutex_lock(m), 0);
		must(pthread_mutex_unlock(m), 0);
		_exit(0);
	}
	let_wait(pid);
	must(pthread_mutex_unlock(m), 0);
	int status;
	must(waitpid(pid, &status, 0), pid);
	must(status, 0);
}

/* _exit runs no destructor; system() forks, or does as if. */
static void case_exit(void)
{
	now_used = &normal;
	take_and_let(10);
	must(system("exit 3"), 3 << 8);
	take_and_let(10);
	_exit(5);
}

/* The child's are its own, and neither sees the other's. */
static void case_fork(void)
{
	now_used = &normal;
	take_and_let(10);
	must(pthread_mutex_lock(&normal), 0);
	pid_t pid = fork();
	must(pthread_mutex_unlock(&normal), 0);
	take_and_let(pid ? 100 : 1000);
	if (!pid)
		_exit(0);
	int status;
	must(waitpid(pid, &status, 0), pid);
	must(status, 0);
}

static void __attribute__((noinline)) made_before(pthread_mutex_t *m)
{
	must(pthread_mutex_init(m, NULL), 0);
}

static void __attribute__((noinline)) made_after(pthread_mutex_t *m)
{
	must(pthread_mutex_destroy(m), 0);
	must(pthread_mutex_init(m, NULL), 0);
}

/* The child's locks were made by its parent, which then makes another in the place of one. */
static void case_inherit(void)
{
	static const int takes[2][2] = { { 3, 4 }, { 7, 5 } };
	pthread_mutex_t *m = malloc(2 * sizeof(*m));
	int told[2];
	char c = 0;
	must(pipe(told), 0);
	made_before(&m[0]);
	made_before(&m[1]);
	sleep_ms(1);
	pid_t pid = fork();
	if (pid) {
		made_after(&m[1]);
		must(write(told[1], &c, 1) == 1, true);
	} else {
		must(read(told[0], &c, 1) == 1, true);
	}
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < takes[!pid][i]; k++) {
			must(pthread_mutex_lock(&m[i]), 0);
			must(pthread_mutex_unlock(&m[i]), 0);
		}
	}
	if (!pid)
		_exit(0);
	must(waitpid(pid, NULL, 0), pid);
}

static void case_exec(void)
{
	now_used = &normal;
	take_and_let(10);
	execl("/proc/self/exe", "known", "mutex", NULL);
	exit(1);
}

static void case_abort(void)
{
	now_used = &normal;
	take_and_let(10);
	abort();
}

static void case_forever(void)
{
	now_used = &normal;
	take_and_let(10);
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static void *contend(void *arg)
{
	(void)arg;
	for (int i = 0; i < 200; i++) {
		must(pthread_mutex_lock(&normal), 0);
		sleep_ms(2);
		must(pthread_mutex_unlock(&normal), 0);
		sleep_ms(3);
	}
	return NULL;
}

/* For attach.py: a second or more of waits, after a line with the PID. */
static void case_contend(void)
{
	pthread_t t[3];
	printf("%d\n", getpid());
	fflush(stdout);
	sleep_ms(50);
	for (int i = 0; i < 3; i++)
		must(pthread_create(&t[i], NULL, contend, NULL), 0);
	for (int i = 0; i < 3; i++)
		must(pthread_join(t[i], NULL), 0);
}

static void *take_free(void *arg)
{
	for (;;) {
		must(sem_wait(arg), 0);
		must(sem_post(arg), 0);
	}
	return NULL;
}

/* What the C library refuses, or does, before it looks at the lock, though that is free. */
static void case_refused(void)
{
	const struct timespec until = in_ms(CLOCK_REALTIME, 1000), bad = { until.tv_sec, -1 };
	pthread_t t;
	make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	must(sem_init(&sem, 0, 1), 0);
	must(sem_timedwait(&sem, &bad), -1);
	must(sem_clockwait(&sem, 77, &until), -1);
	must(errno, EINVAL);
	must(pthread_mutex_clocklock(&normal, 77, &until), EINVAL);
	must(pthread_rwlock_timedrdlock(&rw, &bad), EINVAL);
	must(pthread_rwlock_timedwrlock(&rw, &bad), EINVAL);
	must(pthread_rwlock_clockrdlock(&rw, 77, &until), EINVAL);
	must(pthread_rwlock_clockwrlock(&rw, 77, &until), EINVAL);
	must(pthread_mutex_lock(&normal), 0);
	must(pthread_cond_timedwait(&cond, &normal, &bad), EINVAL);
	must(pthread_cond_clockwait(&cond, &normal, 77, &until), EINVAL);
	must(pthread_mutex_unlock(&normal), 0);
	must(pthread_cond_wait(&cond, &recursive), EPERM); /* it does not have it */
	for (int i = 0; i < 20; i++) {
		must(pthread_mutex_lock(&recursive), 0);
		must(pthread_mutex_unlock(&recursive), 0);
	}
	must(pthread_create(&t, NULL, take_free, &sem), 0);
	sleep_ms(1);
	must(pthread_cancel(t), 0);
	must(pthread_join(t, NULL), 0); /* sem_wait() is a cancellation point, waiting or not */
}

#define TURNS 20000

/* Not all of a thread's locks go the same way: some of these are tried, read, or held in another. */
static void *take_turns(void *arg)
{
	static int in_spin, in_write;
	for (int i = 0; i < TURNS; i++) {
		if (i % 3 == 0)
			must(pthread_mutex_lock(&normal), 0);
		must(pthread_spin_lock(&spin), 0);
		must(in_spin++, 0);
		must(--in_spin, 0);
		must(pthread_spin_unlock(&spin), 0);
		while (i % 5 == 0 && pthread_rwlock_trywrlock(&rw))
			sched_yield();
		if (i % 5)
			must(pthread_rwlock_wrlock(&rw), 0);
		must(in_write++, 0);
		must(--in_write, 0);
		must(pthread_rwlock_unlock(&rw), 0);
		must(pthread_rwlock_rdlock(&rw), 0);
		must(in_write, 0);
		must(pthread_rwlock_unlock(&rw), 0);
		if (i % 3 == 0)
			must(pthread_mutex_unlock(&normal), 0);
	}
	return arg;
}

static void case_turns(void)
{
	pthread_t t[3];
	must(pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE), 0);
	for (int i = 0; i < 3; i++)
		must(pthread_create(&t[i], NULL, take_turns, NULL), 0);
	for (int i = 0; i < 3; i++)
		must(pthread_join(t[i], NULL), 0);
}

/* -- Destroyed while others have still to leave ------------------------------------------------ */

static pthread_cond_t *left_cond;

static void *leave_cond(void *arg)
{
	must(pthread_mutex_lock(&normal), 0);
	waiting = 1;
	while (waiting)
		must(pthread_cond_wait(left_cond, &normal), 0);
	must(pthread_mutex_unlock(&normal), 0);
	return arg;
}

/* What has been woken cannot return as long as it does not get the mutex. */
static void case_left_cond(void)
{
	pthread_t t;
	pthread_mutex_t *next = malloc(sizeof(*next));
	left_cond = malloc(sizeof(*left_cond));
	must(pthread_cond_init(left_cond, NULL), 0);
	must(pthread_create(&t, NULL, leave_cond, NULL), 0);
	for (int is = 0; !is; sleep_ms(1)) {
		must(pthread_mutex_lock(&normal), 0);
		is = waiting;
		must(pthread_mutex_unlock(&normal), 0);
	}
	must(pthread_mutex_lock(&normal), 0);
	waiting = 0;
	must(pthread_cond_broadcast(left_cond), 0);
	must(pthread_cond_destroy(left_cond), 0);
	free(left_cond);
	must(pthread_mutex_init(next, NULL), 0);
	must(pthread_mutex_unlock(&normal), 0);
	must(pthread_join(t, NULL), 0);
	now_used = next;
	take_and_let(10);
}

static pid_t leaver;

static void *leave_barrier(void *arg)
{
	__atomic_store_n(&leaver, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
	pthread_barrier_wait(arg);
	return NULL;
}

/* It is destroyed by the last to come, and glibc waits for the others. */
static void case_left_barrier(void)
{
	pthread_mutex_t *next = malloc(32 * sizeof(*next));
	for (int i = 0; i < 32; i++) {
		pthread_t t;
		pthread_barrier_t *b = malloc(sizeof(*b));
		must(pthread_barrier_init(b, NULL, 2), 0);
		leaver = 0;
		must(pthread_create(&t, NULL, leave_barrier, b), 0);
		for (pid_t who = 0; !who || state_of(who) != 'S'; sleep_ms(1))
			who = __atomic_load_n(&leaver, __ATOMIC_ACQUIRE);
		must(pthread_barrier_wait(b) == PTHREAD_BARRIER_SERIAL_THREAD, 1);
		must(pthread_barrier_destroy(b), 0);
		free(b);
		must(pthread_mutex_init(&next[i], NULL), 0);
		now_used = &next[i];
		take_and_let(1);
		must(pthread_join(t, NULL), 0);
	}
}

/* Where what a thread notes of a lock could be 0. */
static void case_low(void)
{
	pthread_mutex_t *low = mmap((void *)(UINT64_C(1) << 32), 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (low == MAP_FAILED)
		exit(77);
	must(pthread_mutex_init(low, NULL), 0);
	now_used = low;
	take_and_let(10);
}

/* -- Without system calls ---------------------------------------------------------------------- */

#define N(array) (sizeof(array) / sizeof((array)[0]))

static size_t environment(void)
{
	size_t n = 0;
	while (environ[n])
		n++;
	return n;
}

/* Of the system calls: `listed` for those that are named, `other` for the rest. */
static void filter(const int *calls, size_t n, uint32_t listed, uint32_t other, bool by_prctl)
{
	struct sock_filter code[40] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	size_t at = 1;
	for (size_t i = 0; i < n; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							  (uint32_t)calls[i], 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other);
	struct sock_fprog program = { (unsigned short)at, code };
	size_t variables = environment();
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL), -1);
	must(errno, EFAULT);
	must((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL),
	     -1); /* as libseccomp asks */
	must(errno, EINVAL);
	if (by_prctl)
		must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
	else
		must((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
				  &program),
		     0);
	must(environment() == variables, 1);
}

static void take_many(int n)
{
	for (int i = 0; i < n; i++) {
		must(pthread_mutex_lock(&many[i]), 0);
		must(pthread_mutex_unlock(&many[i]), 0);
	}
}

static void *first_locks(void *arg)
{
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	must(sem_wait(&sem), 0);
	must(pthread_mutex_lock(&normal), 0); /* the first of this thread: a wait */
	must(pthread_mutex_unlock(&normal), 0);
	rw_read();
	__atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
	sem_wait(&sem);
	return arg;
}

/* What may still be called is what these functions call by themselves. All locks are new. */
static void seal_and_lock(bool by_prctl)
{
	static const int calls[] = { SYS_read, SYS_write, SYS_futex, SYS_exit_group };
	pthread_t t;
	must(sem_init(&sem, 0, 0), 0);
	if (!by_prctl)
		must(pthread_create(&t, NULL, first_locks, NULL), 0);
	while (!by_prctl && !__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		sched_yield();
	filter(calls, N(calls), SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, by_prctl);
	must(pthread_mutex_lock(&normal), 0);
	if (!by_prctl) {
		must(sem_post(&sem), 0);
		while (__atomic_load_n(&normal.__data.__lock, __ATOMIC_RELAXED) < 2)
			;
	}
	must(pthread_mutex_unlock(&normal), 0);
	while (!by_prctl && !__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
		;
	rw_take();
	rw_let();
	must(pthread_cond_signal(&cond), 0);
	take_many(1000);
}

static void case_sealed(void)
{
	seal_and_lock(false);
}

static void case_sealed_by_prctl(void)
{
	seal_and_lock(true);
}

static void *take_first(void *arg)
{
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	now_used = &normal;
	take_and_let(1);
	__atomic_store_n(&waiting, 1, __ATOMIC_RELEASE);
	sem_wait(&sem);
	return arg;
}

/* The filter falls upon a thread whose first lock is opening the file for the counts. */
static void seal_thread(void)
{
	static const int calls[] = { SYS_read, SYS_write, SYS_futex, SYS_exit_group };
	pthread_t t;
	must(pthread_create(&t, NULL, take_first, NULL), 0);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		;
	filter(calls, N(calls), SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, false);
	while (!__atomic_load_n(&waiting, __ATOMIC_ACQUIRE))
		;
	_exit(0);
}

static void end_at_once(void)
{
	_exit(0);
}

static void in_child(void (*run)(void))
{
	int status;
	pid_t child = fork();
	if (!child)
		run();
	must(waitpid(child, &status, 0), child);
	must(status, 0);
}

static void case_sealed_thread(void)
{
	must(sem_init(&sem, 0, 0), 0);
	for (int i = 0; i < 20; i++)
		in_child(seal_thread);
}

static void case_strict(void)
{
	now_used = &normal;
	take_and_let(10);
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), 0);
	take_and_let(10); /* uncounted: nor may the clock be read */
	take_many(10);
	syscall(SYS_exit, 0);
}

/* In a child whose first lock is about to open the file for the counts. */
static void give_up_tsc(void)
{
	pthread_t t;
	must(pthread_create(&t, NULL, take_first, NULL), 0);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		;
	must(prctl(PR_SET_TSC, PR_TSC_SIGSEGV), 0);
	_exit(0);
}

static void without_tsc(bool by_prctl)
{
	now_used = &normal;
	take_and_let(10);
	must(sem_init(&sem, 0, 0), 0);
	for (int i = 0; i < 20 && !prctl(PR_SET_TSC, PR_TSC_ENABLE); i++)
		in_child(give_up_tsc);
	if (by_prctl ? prctl(PR_SET_TSC, PR_TSC_SIGSEGV)
		     : (int)syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV))
		exit(77); /* x86 has one */
	take_and_let(10);
	take_many(10);
	in_child(end_at_once);
	_exit(0);
}

static void case_no_tsc(void)
{
	without_tsc(true);
}

static void case_no_tsc_by_syscall(void)
{
	without_tsc(false);
}

/*
 * A filter that ends nobody is in nobody's way, also of what this becomes; nor is what the kernel
 * refuses: from a filter there is no way to the strict mode.
 */
static void case_mild(void)
{
	static const int calls[] = { SYS_acct };
	filter(calls, N(calls), SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, true);
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), -1);
	take_many(1000);
	execl("/proc/self/exe", "known", "mutex", NULL);
	exit(1);
}

static void *filter_oneself(void *arg)
{
	static const int calls[] = { SYS_acct };
	filter(calls, N(calls), SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, true);
	__atomic_store_n(&held, 1, __ATOMIC_RELEASE);
	sem_wait(arg);
	return NULL;
}

/* A filter that cannot be put over all threads is put over none. */
static void case_filter_refused(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS) };
	struct sock_fprog program = { N(code), code };
	pthread_t t;
	must(sem_init(&sem, 0, 0), 0);
	must(pthread_create(&t, NULL, filter_oneself, &sem), 0);
	while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
		sched_yield();
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	must(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) > 0,
	     1);
	take_many(1000);
	must(sem_post(&sem), 0);
	must(pthread_join(t, NULL), 0);
}

static int dispatched;

static void dispatch(int sig)
{
	(void)sig;
	dispatched++;
}

/* Each system call becomes a signal, or none (*selector 0): PR_SET_SYSCALL_USER_DISPATCH. */
static void case_dispatch(void)
{
	static volatile char selector;
	must(signal(SIGSYS, dispatch) == SIG_DFL, 1);
	if (prctl(59, 1, 0, 0, &selector))
		exit(77);
	selector = 1;
	take_many(1000);
	selector = 0;
	must(dispatched, 0);
}

/* What it becomes would be ended by what is called when a file of counts is made. */
static void exec_sealed(char **variables)
{
	static const int calls[] = { SYS_ftruncate };
	char *args[] = { "known", "cancel", NULL };
	filter(calls, N(calls), SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, true);
	now_used = &normal;
	take_and_let(10);
	execve("/proc/self/exe", args, variables);
	exit(1);
}

static void case_sealed_exec(void)
{
	exec_sealed(environ);
}

/* As who starts programs for others: the environment is made first. */
static void case_sealed_exec_copied(void)
{
	static char *copy[1000];
	must(environment() < N(copy), 1);
	for (size_t i = 0; environ[i]; i++)
		copy[i] = strdup(environ[i]);
	exec_sealed(copy);
}

static char **others; /* arguments behind the case */

/* A program of which the environment is not ours: the one that runs it has put up the filter. */
static void case_mild_outside(void)
{
	static const int calls[] = { SYS_acct };
	filter(calls, N(calls), SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW, true);
	execvp(others[0], others);
	exit(1);
}

/* Of a program that is about to start: its vector of what the kernel tells has the vDSO no more. */
static void hide_vdso(pid_t child)
{
#if defined(__x86_64__)
	struct user_regs_struct r;
	must((int)ptrace(PTRACE_GETREGS, child, NULL, &r), 0);
	unsigned long at = r.rsp + sizeof(long);
	for (int nulls = 0; nulls < 2; at += sizeof(long)) /* arguments, environment */
		nulls += !ptrace(PTRACE_PEEKDATA, child, at, NULL);
	while (ptrace(PTRACE_PEEKDATA, child, at, NULL) != AT_SYSINFO_EHDR)
		at += 2 * sizeof(long);
	must((int)ptrace(PTRACE_POKEDATA, child, at, AT_IGNORE), 0);
#else
	(void)child;
	exit(77);
#endif
}

/* Where the clock is a system call, a filter ends what is counted. */
static void case_no_vdso(void)
{
	int status;
	pid_t child = fork();
	if (!child) {
		must((int)ptrace(PTRACE_TRACEME, 0, NULL, NULL), 0);
		execl("/proc/self/exe", "known", "sealed-by-prctl", NULL);
		exit(1);
	}
	must(waitpid(child, &status, 0), child);
	must(WIFSTOPPED(status), 1);
	hide_vdso(child);
	must((int)ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	must(waitpid(child, &status, 0), child);
	must(status, 0);
	now_used = &normal;
	take_and_let(10);
}

/* Whether 80 MB are to be had. */
static void case_room(void)
{
	now_used = &normal;
	take_and_let(10);
	void *p = mmap(NULL, 80 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	printf("room: %d\n", p != MAP_FAILED);
}

static void case_none(void)
{
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "again", case_again },
	{ "renew", case_renew },
	{ "nested", case_nested },
	{ "zeroed", case_zeroed },
	{ "dead", case_dead },
	{ "apart", case_apart },
	{ "apart-old", case_apart_old },
	{ "many", case_many },
	{ "until", case_until },
	{ "before", case_before },
	{ "cancel", case_cancel },
	{ "threads", case_threads },
	{ "signals", case_signals },
	{ "shared", case_shared },
	{ "exit", case_exit },
	{ "protect", case_protect },
	{ "cnd", case_cnd },
	{ "mutex", case_mutex },
	{ "kinds", case_kinds },
	{ "try", case_try },
	{ "bounce", case_bounce },
	{ "hold", case_hold },
	{ "destroy", case_destroy },
	{ "rwlock", case_rwlock },
	{ "hand-over", case_hand_over },
	{ "spin", case_spin },
	{ "cond", case_cond },
	{ "sem", case_sem },
	{ "barrier", case_barrier },
	{ "left-cond", case_left_cond },
	{ "left-barrier", case_left_barrier },
	{ "low", case_low },
	{ "c11", case_c11 },
	{ "futex", case_futex },
	{ "fork", case_fork },
	{ "inherit", case_inherit },
	{ "exec", case_exec },
	{ "abort", case_abort },
	{ "crowd", case_crowd },
	{ "turns", case_turns },
	{ "refused", case_refused },
	{ "contend", case_contend },
	{ "forever", case_forever },
	{ "none", case_none },
	{ "room", case_room },
	{ "sealed", case_sealed },
	{ "sealed-by-prctl", case_sealed_by_prctl },
	{ "sealed-thread", case_sealed_thread },
	{ "no-vdso", case_no_vdso },
	{ "strict", case_strict },
	{ "no-tsc", case_no_tsc },
	{ "no-tsc-by-syscall", case_no_tsc_by_syscall },
	{ "mild", case_mild },
	{ "filter-refused", case_filter_refused },
	{ "dispatch", case_dispatch },
	{ "sealed-exec", case_sealed_exec },
	{ "sealed-exec-copied", case_sealed_exec_copied },
	{ "mild-outside", case_mild_outside },
};

int main(int argc, char **argv)
{
	others = argv + 2;
	for (size_t i = 0; argc >= 2 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run();
			return 0;
		}
	}
	return 2;
}
