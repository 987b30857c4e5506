/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE 1
#include "record/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/str.h"
#include "wire/program.h"

struct image {
	const char *p;
	size_t n;
};

static bool find_program(const char *command, char path[PATH_MAX])
{
	if (strchr(command, '/'))
		return snprintf(path, PATH_MAX, "%s", command) < PATH_MAX;
	const char *env = getenv("PATH");
	struct str left = str_of(env ? env : "/bin:/usr/bin");
	while (left.n) {
		ptrdiff_t colon = str_find_char(left, ':');
		struct str dir = colon < 0 ? left : str_head(left, (size_t)colon);
		left = colon < 0 ? (struct str){ 0 } : str_from(left, (size_t)colon + 1);
		snprintf(path, PATH_MAX, "%.*s/%s", STR_ARG(dir), command);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

static bool map_program(const char *path, struct image *f)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	void *p = MAP_FAILED;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return false;
	*f = (struct image){ p, (size_t)st.st_size };
	return true;
}

static int refuse(const char *path, const char *why, const char *instead, struct err *err)
{
	return err_set(err, ENOEXEC, "'%s' %s: %s", path, why, instead);
}

/* What else sees waits, without being inside the program. */
#define AS_ROOT "as root, 'perf trace -s -e futex' counts its waits"
#define BEFORE ", which stands before the same functions"
#define ATTACH "start it, and 'dwell record locks --attach PID' estimates its waits; "

static const struct {
	const char *why, *instead;
} refusals[] = {
	[WIRE_PROGRAM_STATIC] = { "is statically linked, nothing can be preloaded",
				  ATTACH AS_ROOT },
	[WIRE_PROGRAM_32_BITS] = { "is a program of 32 bits, the preload library has 64",
				   "build dwell for 32 bits" },
	[WIRE_PROGRAM_MACHINE] = { "is a program for another machine than the preload library",
				   "build dwell for that one" },
	[WIRE_PROGRAM_MUSL] = { "uses musl", "only glibc's locks can be counted; " ATTACH AS_ROOT },
	[WIRE_PROGRAM_TSAN] = { "is built with ThreadSanitizer" BEFORE,
				"build it without -fsanitize=thread" },
	[WIRE_PROGRAM_ASAN] = { "is built with AddressSanitizer" BEFORE,
				"build it without -fsanitize=address" },
	[WIRE_PROGRAM_MSAN] = { "is built with MemorySanitizer" BEFORE,
				"build it without -fsanitize=memory" },
	[WIRE_PROGRAM_HWASAN] = { "is built with HWAddressSanitizer" BEFORE,
				  "build it without -fsanitize=hwaddress" },
};

/* A runtime that is linked statically need not show itself to the loader. */
static bool has_tsan(const char *path)
{
	struct image f;
	if (!map_program(path, &f))
		return false;
	bool has = f.n > SELFMAG && memcmp(f.p, ELFMAG, SELFMAG) == 0 &&
		   memmem(f.p, f.n, "__tsan_init", strlen("__tsan_init"));
	munmap((void *)(uintptr_t)f.p, f.n);
	return has;
}

static int check_kind(const char *path, struct err *err)
{
	enum wire_program is = wire_program_at(path);
	if (is == WIRE_PROGRAM_FITS && has_tsan(path))
		is = WIRE_PROGRAM_TSAN;
	return is == WIRE_PROGRAM_FITS ? 0
				       : refuse(path, refusals[is].why, refusals[is].instead, err);
}

static int check_rights(const char *path, struct err *err)
{
	struct stat st;
	if (stat(path, &st))
		return 0;
	bool other_user = (st.st_mode & S_ISUID) && st.st_uid != geteuid();
	bool other_group = (st.st_mode & S_ISGID) && st.st_gid != getegid();
	bool more = getxattr(path, "security.capability", NULL, 0) > 0 && geteuid() != 0;
	if (other_user || other_group || more)
		return refuse(path,
			      "changes its user, group or capabilities when it is run, and the "
			      "loader then ignores LD_PRELOAD",
			      "run a copy of it without them, or, " AS_ROOT, err);
	return 0;
}

int program_check(const char *command, struct err *err)
{
	char path[PATH_MAX];
	if (!find_program(command, path))
		return err_set(err, ENOENT, "cannot find '%s' in PATH", command);
	int ret = check_rights(path, err);
	return ret ? ret : check_kind(path, err);
}
