/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C++'s waits with an end, with known answers for locks.py: of each lock and condition each way to
 * wait comes WAITS times to what it waits for, and runs out once. Fails by its exit code.
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

#include <unistd.h>

using namespace std::chrono;

static const int WAITS = 3;
static const milliseconds LONG = 60s, SHORT = 10ms, WAIT = 30ms;

static std::timed_mutex timed;
static std::recursive_timed_mutex again;
static std::shared_timed_mutex shared;
static std::mutex guard;
static std::condition_variable filled;

static void must(bool good, const char *what)
{
	if (!good) {
		std::fprintf(stderr, "not so: %s\n", what);
		std::exit(1);
	}
}
#define MUST(x) must(x, #x)

/* From the moment at which the first thread sleeps: a busy machine is late. */
static void let_wait()
{
	for (;;) {
		std::ifstream f("/proc/" + std::to_string(getpid()) + "/stat");
		std::string stat;
		std::getline(f, stat);
		if (stat[stat.rfind(')') + 2] == 'S')
			break;
		std::this_thread::sleep_for(1ms);
	}
	std::this_thread::sleep_for(WAIT);
}

/* Another thread has the lock: wait() comes after it WAITS times, and `runs_out` does not. */
template <class Lock, class Wait, class Out>
static void contend(Lock &lock, Wait wait, Out runs_out)
{
	for (int i = 0; i <= WAITS; i++) {
		std::mutex m;
		std::condition_variable c;
		int step = 0;
		auto go_to = [&](int to) {
			std::lock_guard l(m);
			step = to;
			c.notify_all();
		};
		auto wait_for = [&](int until) {
			std::unique_lock l(m);
			c.wait(l, [&] { return step >= until; });
		};
		std::thread holder([&] {
			lock.lock();
			go_to(1);
			wait_for(2);
			if (i < WAITS)
				let_wait();
			else
				wait_for(3);
			lock.unlock();
		});
		wait_for(1);
		go_to(2);
		if (i < WAITS) {
			MUST(wait());
		} else {
			MUST(!runs_out());
			go_to(3);
		}
		holder.join();
	}
}

/* By a time to wait, by a time of either clock. */
template <class Lock> static void exclusive(Lock &lock)
{
	auto had = [&](bool has) {
		if (has)
			lock.unlock();
		return has;
	};
	contend(
		lock, [&] { return had(lock.try_lock_for(LONG)); },
		[&] { return lock.try_lock_for(SHORT); });
	contend(
		lock, [&] { return had(lock.try_lock_until(steady_clock::now() + LONG)); },
		[&] { return lock.try_lock_until(steady_clock::now() + SHORT); });
	contend(
		lock, [&] { return had(lock.try_lock_until(system_clock::now() + LONG)); },
		[&] { return lock.try_lock_until(system_clock::now() + SHORT); });
}

static void readers(std::shared_timed_mutex &lock)
{
	auto had = [&](bool has) {
		if (has)
			lock.unlock_shared();
		return has;
	};
	contend(
		lock, [&] { return had(lock.try_lock_shared_for(LONG)); },
		[&] { return lock.try_lock_shared_for(SHORT); });
	contend(
		lock, [&] { return had(lock.try_lock_shared_until(steady_clock::now() + LONG)); },
		[&] { return lock.try_lock_shared_until(steady_clock::now() + SHORT); });
	contend(
		lock, [&] { return had(lock.try_lock_shared_until(system_clock::now() + LONG)); },
		[&] { return lock.try_lock_shared_until(system_clock::now() + SHORT); });
}

template <class Wait> static void condition(Wait wait, bool comes)
{
	bool full = false;
	std::thread fills;
	if (comes)
		fills = std::thread([&] {
			let_wait();
			std::lock_guard l(guard);
			full = true;
			filled.notify_one();
		});
	std::unique_lock l(guard);
	MUST(wait(l, comes ? LONG : SHORT, [&] { return full; }) == comes);
	l.unlock();
	if (comes)
		fills.join();
}

int main()
{
	exclusive(timed);
	exclusive(again);
	exclusive(shared);
	readers(shared);
	for (int i = 0; i <= WAITS; i++) {
		condition([](auto &l, auto t, auto is) { return filled.wait_for(l, t, is); },
			  i < WAITS);
		condition([](auto &l, auto t,
			     auto is) { return filled.wait_until(l, steady_clock::now() + t, is); },
			  i < WAITS);
		condition([](auto &l, auto t,
			     auto is) { return filled.wait_until(l, system_clock::now() + t, is); },
			  i < WAITS);
	}
}
