/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A work queue with one hot lock, and a map in shards whose hash is bad, to be looked at by
 *
 *	dwell record locks -- ./work-queue
 *	dwell record locks -- ./work-queue --fixed
 *
 * What is wrong: push() prepares its job while it holds the queue, and shard_of() looks at bits
 * that all keys share, so that every thread meets the others in one shard. --fixed prepares the
 * job before it takes the lock, and looks at the other bits.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 4
#define JOBS 10000 /* each thread pushes and pops as many */
#define SHARDS 16
#define ROOM 1024

struct job {
	uint64_t key, digest;
};

static struct queue {
	pthread_mutex_t lock;
	struct job job[ROOM];
	unsigned first, n;
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct map {
	struct shard {
		pthread_mutex_t mu;
		uint64_t hits[256];
	} shards[SHARDS];
} map;

static bool fixed;

/* Some work: a few microseconds. */
static uint64_t digest_of(uint64_t key)
{
	for (int i = 0; i < 4000; i++) {
		key = key * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(key)); /* turn by turn: no compiler sums it up */
	}
	return key;
}

static bool __attribute__((noinline)) push(uint64_t key)
{
	struct job job = { key, fixed ? digest_of(key) : 0 };
	pthread_mutex_lock(&queue.lock);
	bool room = queue.n < ROOM;
	if (room) {
		if (!fixed)
			job.digest = digest_of(key); /* and nobody else gets at the queue */
		queue.job[(queue.first + queue.n++) % ROOM] = job;
	}
	pthread_mutex_unlock(&queue.lock);
	return room;
}

static bool __attribute__((noinline)) pop(struct job *job)
{
	pthread_mutex_lock(&queue.lock);
	bool any = queue.n > 0;
	if (any) {
		*job = queue.job[queue.first];
		queue.first = (queue.first + 1) % ROOM;
		queue.n--;
	}
	pthread_mutex_unlock(&queue.lock);
	return any;
}

/* Keys are multiples of 64. */
static unsigned shard_of(uint64_t key)
{
	return (unsigned)(fixed ? key >> 6 : key) % SHARDS;
}

static void __attribute__((noinline)) note(const struct job *job)
{
	struct shard *s = &map.shards[shard_of(job->key)];
	pthread_mutex_lock(&s->mu);
	for (int i = 0; i < 64; i++)
		s->hits[(job->digest + (unsigned)i) % 256]++;
	pthread_mutex_unlock(&s->mu);
}

static void *work(void *arg)
{
	uint64_t key = (uint64_t)(uintptr_t)arg << 32;
	struct job job;
	for (int i = 0; i < JOBS; i++) {
		push(key += 64);
		if (pop(&job))
			note(&job);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS];
	fixed = argc > 1 && strcmp(argv[1], "--fixed") == 0;
	if (argc > 2 || (argc == 2 && !fixed)) {
		fprintf(stderr, "usage: work-queue [--fixed]\n");
		return 2;
	}
	for (int i = 0; i < SHARDS; i++)
		pthread_mutex_init(&map.shards[i].mu, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
