/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exec*() and posix_spawn*(). A program into which the library cannot be loaded (wire/program.h) would not
 * start with it, or not be the same: it gets its environment without us, and runs uncounted.
 *
 * It may be a child by vfork that calls: what is needed is on the stack.
 */
#include <alloca.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/calls.h"
#include "preload/loads.h"
#include "preload/real.h"
#include "wire/program.h"

REAL(int, execve, (const char *, char *const *, char *const *))
REAL(int, execvpe, (const char *, char *const *, char *const *))
REAL_VERSION(int, posix_spawn,
	     (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
	      char *const *, char *const *),
	     REAL_SPAWN)
REAL_VERSION(int, posix_spawnp,
	     (pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *,
	      char *const *, char *const *),
	     REAL_SPAWN)

/* -- The environment --------------------------------------------------------------------------- */

/* The variable that loads us; -1: there is none. */
static int find_ours(char *const *env)
{
	for (int i = 0; env && env[i]; i++) {
		if (strncmp(env[i], LOADS "=", sizeof(LOADS)) == 0)
			return strstr(env[i], LOADS_US) ? i : -1;
	}
	return -1;
}

static int length_of(char *const *array)
{
	int n = 0;
	while (array[n])
		n++;
	return n;
}

/* What else the variable loads, as one of its own; NULL: nothing, or there is no room. */
static char *others(const char *ours, char *to, size_t room)
{
	size_t n = strlen(ours) + 1;
	if (n > room)
		return NULL;
	memcpy(to, ours, n);
	return loads_cut(to + sizeof(LOADS)) ? to : NULL;
}

/* -- Programs ---------------------------------------------------------------------------------- */

struct call {
	int (*go)(const struct call *c, char *const *env);
	const char *file;
	char *const *args;
	char *const *env;
	bool search; /* in PATH */
	/* posix_spawn */
	pid_t *pid;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
};

#define PATH_ROOM 1024 /* of longer ones nothing is known */

static bool join(char to[PATH_ROOM], const char *folder, size_t n, const char *file)
{
	size_t m = strlen(file);
	if (n + 1 + m >= PATH_ROOM)
		return false;
	memcpy(to, folder, n);
	to[n] = '/';
	memcpy(to + n + 1, file, m + 1);
	return true;
}

/* As execvp() searches; false: it is not found. */
static bool find_file(char to[PATH_ROOM], const char *file)
{
	const char *at = getenv("PATH");
	for (at = at ? at : "/bin:/usr/bin"; at;) {
		size_t n = strcspn(at, ":");
		if (join(to, n ? at : ".", n ? n : 1, file) && access(to, X_OK) == 0)
			return true;
		at = at[n] ? at + n + 1 : NULL;
	}
	return false;
}

static bool fits(const struct call *c)
{
	char path[PATH_ROOM];
	const char *file = c->file;
	if (c->search && !strchr(file, '/'))
		file = find_file(path, file) ? path : NULL;
	enum wire_program is = file ? wire_program_at(file) : WIRE_PROGRAM_FITS;
	return is == WIRE_PROGRAM_FITS || is == WIRE_PROGRAM_STATIC; /* loads nothing */
}

static bool is_to_go_without(const struct call *c)
{
	int saved = errno;
	bool without = false;
	if (calls_begin()) {
		without = !fits(c);
		calls_end();
	}
	errno = saved;
	return without;
}

static int run(const struct call *c)
{
	int ours = find_ours(c->env);
	if (ours < 0 || !is_to_go_without(c))
		return c->go(c, c->env);
	char value[PATH_ROOM];
	int n = length_of(c->env), k = 0;
	char **env = alloca(((size_t)n + 1) * sizeof(env[0]));
	for (int i = 0; i < n; i++) {
		char *is = i == ours ? others(c->env[i], value, sizeof(value)) : c->env[i];
		if (is)
			env[k++] = is;
	}
	env[k] = NULL;
	segment_tell_lost();
	return c->go(c, env);
}

/* -- exec -------------------------------------------------------------------------------------- */

static int go(const struct call *c, char *const *env)
{
	return c->search ? execvpe_real()(c->file, c->args, env)
			 : execve_real()(c->file, c->args, env);
}

static int by_path(const char *file, char *const args[], char *const env[])
{
	return run(&(struct call){ .go = go, .file = file, .args = args, .env = env });
}

static int by_search(const char *file, char *const args[], char *const env[])
{
	return run(
		&(struct call){ .go = go, .file = file, .args = args, .env = env, .search = true });
}

EXPORT int execve(const char *file, char *const args[], char *const env[])
{
	return by_path(file, args, env);
}

EXPORT int execv(const char *file, char *const args[])
{
	return by_path(file, args, environ);
}

EXPORT int execvpe(const char *file, char *const args[], char *const env[])
{
	return by_search(file, args, env);
}

EXPORT int execvp(const char *file, char *const args[])
{
	return by_search(file, args, environ);
}

/* The arguments of a call up to NULL, in an array of the caller's. */
#define ARGUMENTS(args, first, list)                                                               \
	do {                                                                                       \
		size_t n_ = 1;                                                                     \
		va_start(list, first);                                                             \
		while (n_++ && va_arg(list, char *))                                               \
			;                                                                          \
		va_end(list);                                                                      \
		args = alloca(n_ * sizeof(args[0]));                                               \
		args[0] = (char *)(uintptr_t)first;                                                \
		va_start(list, first);                                                             \
		for (size_t i_ = 1; args[i_ - 1]; i_++)                                            \
			args[i_] = va_arg(list, char *);                                           \
	} while (0)

EXPORT int execl(const char *file, const char *first, ...)
{
	va_list list;
	char **args;
	ARGUMENTS(args, first, list);
	va_end(list);
	return by_path(file, args, environ);
}

EXPORT int execlp(const char *file, const char *first, ...)
{
	va_list list;
	char **args;
	ARGUMENTS(args, first, list);
	va_end(list);
	return by_search(file, args, environ);
}

EXPORT int execle(const char *file, const char *first, ...)
{
	va_list list;
	char **args;
	ARGUMENTS(args, first, list);
	char *const *env = va_arg(list, char *const *);
	va_end(list);
	return by_path(file, args, env);
}

/* -- posix_spawn ------------------------------------------------------------------------------- */

static int go_spawn(const struct call *c, char *const *env)
{
	return (c->search ? posix_spawnp_real() : posix_spawn_real())(c->pid, c->file, c->actions,
								      c->attributes, c->args, env);
}

EXPORT int posix_spawn(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
		       const posix_spawnattr_t *attributes, char *const args[], char *const env[])
{
	return run(&(struct call){ go_spawn, file, args, env, false, pid, actions, attributes });
}

EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			const posix_spawnattr_t *attributes, char *const args[], char *const env[])
{
	return run(&(struct call){ go_spawn, file, args, env, true, pid, actions, attributes });
}
