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

struct image {
	const char *p;
	size_t n;
};

/* Pointer to n bytes at an offset of the file; NULL: outside. */
static const void *at(const struct image *f, uint64_t offset, uint64_t n)
{
	return offset <= f->n && n <= f->n - offset ? f->p + offset : NULL;
}

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

static const Elf64_Phdr *segment_of(const struct image *f, uint32_t type)
{
	const Elf64_Ehdr *h = at(f, 0, sizeof(*h));
	for (unsigned i = 0; i < h->e_phnum; i++) {
		const Elf64_Phdr *p =
			at(f, h->e_phoff + (uint64_t)i * h->e_phentsize, sizeof(Elf64_Phdr));
		if (p && p->p_type == type)
			return p;
	}
	return NULL;
}

static bool contains(const struct image *f, const char *word)
{
	return memmem(f->p, f->n, word, strlen(word)) != NULL;
}

static int refuse(const char *path, const char *why, const char *instead, struct err *err)
{
	return err_set(err, ENOEXEC, "'%s' %s: %s", path, why, instead);
}

/* What else sees waits, without being inside the program. */
#define AS_ROOT "as root, 'perf trace -s -e futex' counts its waits"
#define ATTACH "start it, and 'dwell record locks --attach PID' estimates its waits; "

static int check_elf(const char *path, const struct image *f, struct err *err)
{
	const Elf64_Ehdr *h = at(f, 0, sizeof(*h));
	if (!h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	if (h->e_ident[EI_CLASS] != ELFCLASS64)
		return refuse(path, "is a program of 32 bits, the preload library has 64",
			      "build dwell for 32 bits", err);
	const Elf64_Phdr *interp = segment_of(f, PT_INTERP);
	if (!interp)
		return refuse(path, "is statically linked, nothing can be preloaded",
			      ATTACH AS_ROOT, err);
	const char *loader = at(f, interp->p_offset, interp->p_filesz);
	if (loader && memmem(loader, interp->p_filesz, "ld-musl", 7))
		return refuse(path, "uses musl",
			      "only glibc's locks can be counted; " ATTACH AS_ROOT, err);
	if (contains(f, "__tsan_init"))
		return refuse(path,
			      "is built with ThreadSanitizer, which stands before the same "
			      "functions",
			      "build it without -fsanitize=thread", err);
	return 0;
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
	struct image f;
	if (!find_program(command, path))
		return err_set(err, ENOENT, "cannot find '%s' in PATH", command);
	int ret = check_rights(path, err);
	if (ret || !map_program(path, &f))
		return ret;
	ret = check_elf(path, &f, err);
	munmap((void *)(uintptr_t)f.p, f.n);
	return ret;
}
