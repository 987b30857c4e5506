/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a lock and its unlock cost: alone, and with threads that want it, too.
 *
 *	bench_lock_pair THREADS LOCKS PAIRS  ->  ns per pair and thread
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct padded {
	pthread_mutex_t mutex;
	char pad[128 - sizeof(pthread_mutex_t)];
};

static struct padded locks[64];
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

static void *work(void *arg)
{
	unsigned turn = (unsigned)(size_t)arg;
	for (long i = 0; i < pairs; i++) {
		pthread_mutex_t *m = &locks[turn++ % (unsigned)n_locks].mutex;
		pthread_mutex_lock(m);
		shared++;
		pthread_mutex_unlock(m);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	int n = atoi(argv[1]);
	n_locks = atoi(argv[2]);
	pairs = atol(argv[3]);
	if (n < 1 || n > 64 || n_locks < 1 || n_locks > 64)
		return 2;
	for (int i = 0; i < n_locks; i++)
		pthread_mutex_init(&locks[i].mutex, NULL);

	pthread_t thread[64];
	double from = seconds(n);
	for (int i = 1; i < n; i++)
		pthread_create(&thread[i], NULL, work, (void *)(size_t)i);
	work(NULL);
	for (int i = 1; i < n; i++)
		pthread_join(thread[i], NULL);
	printf("%.2f\n", 1e9 * (seconds(n) - from) / (double)pairs);
	return 0;
}
