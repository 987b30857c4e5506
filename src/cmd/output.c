/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "cmd/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int write_error; /* errno of the first write that failed */
static bool status_shown;
static bool on_stderr; /* results */

void output_start(void)
{
	sigset_t pipe_only;
	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &pipe_only, NULL);

	/* Opened the wrong way round, so that using one is still an error and says so. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

bool output_colour(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	return (!no_color || !*no_color) && term && strcmp(term, "dumb") != 0 &&
	       isatty(on_stderr ? STDERR_FILENO : STDOUT_FILENO);
}

void output_to_stderr(void)
{
	on_stderr = true;
}

void output_status(const char *text)
{
	if (!text && !status_shown)
		return;
	fprintf(stderr, "\r\033[K%s", text ? text : "");
	fflush(stderr);
	status_shown = text;
}

/* Bytes that a terminal would take for a command: C0, DEL, and C1 in UTF-8. Ours are to be bold or not. */
static size_t command_at(struct str s, bool colour)
{
	unsigned char c = (unsigned char)s.p[0];
	if (colour && (str_starts(s, "\033[1m") || str_starts(s, "\033[0m")))
		return 0;
	if (c == 0xc2 && s.n > 1 && ((unsigned char)s.p[1] & 0xe0) == 0x80)
		return 2;
	return (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f;
}

static void put(struct str s)
{
	if (!write_error && s.n && fwrite(s.p, 1, s.n, on_stderr ? stderr : stdout) != s.n)
		write_error = errno ? errno : EIO;
}

bool output_text(struct str s)
{
	bool colour = output_colour();
	output_status(NULL);
	while (s.n) {
		size_t n = 0, command = 0;
		while (n < s.n && !(command = command_at(str_from(s, n), colour)))
			n++;
		put(str_head(s, n));
		put(str_head(str_of("??"), command));
		s = str_from(s, n + command);
	}
	return !write_error;
}

/* As if SIGPIPE had been neither blocked nor ignored. */
static void end_by_sigpipe(void)
{
	output_start();
	raise(SIGPIPE);
}

int output_finish(struct err *err)
{
	bool failed = ferror(stdout);
	errno = 0;
	if ((fclose(stdout) || failed) && !write_error)
		write_error = errno ? errno : EIO;
	if (write_error == EPIPE)
		end_by_sigpipe();
	if (write_error)
		return err_set(err, write_error, "cannot write: %s", strerror(write_error));
	return 0;
}

/* One write for the whole line, so that those of parallel runs do not mix. */
static void say(const char *kind, const char *fmt, va_list ap)
{
	char line[2 * ERR_MAX];
	size_t room = sizeof(line) - 1;
	size_t n = (size_t)snprintf(line, room, "dwell: %s", kind);
	int more = vsnprintf(line + n, room - n, fmt, ap);
	if (more < 0)
		return;
	n = n + (size_t)more < room ? n + (size_t)more : room - 1;

	for (size_t i = 0; i < n; i++)
		if (((unsigned char)line[i] < 0x20 && line[i] != '\t') || line[i] == 0x7f)
			line[i] = '?';
	line[n] = '\n';
	output_status(NULL);
	fwrite(line, 1, n + 1, stderr);
}

void output_error(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("", fmt, ap);
	va_end(ap);
}

void output_warning(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	say("warning: ", fmt, ap);
	va_end(ap);
}
