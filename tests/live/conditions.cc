/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++'s locks and conditions, for programs.py: prints the same whether counted or not. */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <queue>
#include <shared_mutex>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::condition_variable filled;
static std::queue<int> jobs;
static bool done;

static std::shared_mutex sums_mutex;
static std::recursive_mutex again;
static std::timed_mutex timed;
static long sums[16];

static void note(int job)
{
	std::unique_lock lock(sums_mutex);
	sums[job % 16] += job;
}

static long sum()
{
	std::shared_lock lock(sums_mutex);
	long all = 0;
	for (long s : sums)
		all += s;
	return all;
}

static void work()
{
	for (;;) {
		std::unique_lock lock(mutex);
		filled.wait(lock, [] { return done || !jobs.empty(); });
		if (jobs.empty())
			return;
		int job = jobs.front();
		jobs.pop();
		lock.unlock();
		note(job);
		std::lock_guard outer(again), inner(again);
		if (timed.try_lock_for(std::chrono::seconds(60)))
			timed.unlock();
		if (sum() < 0)
			return;
	}
}

int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(work);
	for (int i = 0; i < 20000; i++) {
		std::lock_guard lock(mutex);
		jobs.push(i);
		filled.notify_one();
	}
	{
		std::lock_guard lock(mutex);
		done = true;
	}
	filled.notify_all();
	for (auto &t : threads)
		t.join();
	std::unique_lock lock(mutex);
	bool came = filled.wait_for(lock, std::chrono::milliseconds(5), [] { return false; });
	std::printf("%ld %d\n", sum(), came);
}
