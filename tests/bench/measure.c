/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a command, its output thrown away, and prints on descriptor 3 what it took: wall-clock us,
 * CPU us (user and system), peak RSS in KiB, exit code. A small program of its own, because the
 * peak of a child counts what its parent was before exec.
 *
 *	measure COMMAND [ARGUMENT...] 3>result
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ll + t.tv_nsec / 1000;
}

static long long us_of(struct timeval t)
{
	return t.tv_sec * 1000000ll + t.tv_usec;
}

static void child(char **argv)
{
	int null = open("/dev/null", O_WRONLY);
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		_exit(126);
	close(3);
	execvp(argv[0], argv);
	_exit(127);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	long long began = now_us();
	pid_t pid = fork();
	if (pid < 0)
		return 1;
	if (!pid)
		child(argv + 1);
	int status;
	struct rusage u;
	if (wait4(pid, &status, 0, &u) != pid)
		return 1;
	long long wall = now_us() - began;
	dprintf(3, "%lld %lld %ld %d\n", wall, us_of(u.ru_utime) + us_of(u.ru_stime), u.ru_maxrss,
		WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	return 0;
}
