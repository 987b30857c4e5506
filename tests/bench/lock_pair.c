/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a lock and its unlock cost: alone, and with threads that want it, too.
 *
 *	bench_lock_pair THREADS LOCKS PAIRS [KIND]  ->  ns per pair and thread
 *
 * KIND: mutex (if none is given), spin, write or read.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

union lock {
	pthread_mutex_t mutex;
	pthread_spinlock_t spin;
	pthread_rwlock_t rwlock;
	char padded[128];
};

static union lock locks[64];
static long pairs;
static int n_locks;
static volatile unsigned long shared;

/* One thread: of its own CPU time, so that neighbours on a busy machine do not count. */
static double seconds(int threads)
{
	struct timespec t;
	clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define WORK(name, member, take, let)                                                              \
	static void *name(void *arg)                                                               \
	{                                                                                          \
		unsigned turn = (unsigned)(size_t)arg;                                             \
		for (long i = 0; i < pairs; i++) {                                                 \
			union lock *l = &locks[turn++ % (unsigned)n_locks];                        \
			take(&l->member);                                                          \
			shared++;                                                                  \
			let(&l->member);                                                           \
		}                                                                                  \
		return NULL;                                                                       \
	}

WORK(use_mutex, mutex, pthread_mutex_lock, pthread_mutex_unlock)
WORK(use_spin, spin, pthread_spin_lock, pthread_spin_unlock)
WORK(use_write, rwlock, pthread_rwlock_wrlock, pthread_rwlock_unlock)

/* Many may be here at once. */
static void *use_read(void *arg)
{
	unsigned turn = (unsigned)(size_t)arg;
	for (long i = 0; i < pairs; i++) {
		pthread_rwlock_t *l = &locks[turn++ % (unsigned)n_locks].rwlock;
		pthread_rwlock_rdlock(l);
		(void)shared;
		pthread_rwlock_unlock(l);
	}
	return NULL;
}

static const struct {
	const char *name;
	void *(*use)(void *);
} kinds[] = {
	{ "mutex", use_mutex }, { "spin", use_spin }, { "write", use_write }, { "read", use_read }
};

static size_t kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return i;
	exit(2);
}

static void make(union lock *l, size_t kind)
{
	if (kinds[kind].use == use_mutex)
		pthread_mutex_init(&l->mutex, NULL);
	else if (kinds[kind].use == use_spin)
		pthread_spin_init(&l->spin, PTHREAD_PROCESS_PRIVATE);
	else
		pthread_rwlock_init(&l->rwlock, NULL);
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 5)
		return 2;
	size_t kind = kind_of(argc == 5 ? argv[4] : "mutex");
	void *(*use)(void *) = kinds[kind].use;
	int n = atoi(argv[1]);
	n_locks = atoi(argv[2]);
	pairs = atol(argv[3]);
	if (n < 1 || n > 64 || n_locks < 1 || n_locks > 64)
		return 2;
	for (int i = 0; i < n_locks; i++)
		make(&locks[i], kind);

	pthread_t thread[64];
	double from = seconds(n);
	for (int i = 1; i < n; i++)
		pthread_create(&thread[i], NULL, use, (void *)(size_t)i);
	use(NULL);
	for (int i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("%.2f\n", 1e9 * (seconds(n) - from) / (double)pairs);
	return 0;
}
