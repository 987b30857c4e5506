/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE 1
#include "wire/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

static bool get(int fd, uint64_t at, void *to, size_t n)
{
	return at <= INT64_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

/* The first segment of its type, or of those that are loaded the one with the address. */
static bool find_segment(int fd, const Elf64_Ehdr *h, uint32_t type, uint64_t address,
			 Elf64_Phdr *p)
{
	for (unsigned i = 0; i < h->e_phnum; i++) {
		if (!get(fd, h->e_phoff + (uint64_t)i * h->e_phentsize, p, sizeof(*p)))
			return false;
		if (p->p_type == type && (type != PT_LOAD || address - p->p_vaddr < p->p_filesz))
			return true;
	}
	return false;
}

struct range {
	uint64_t at, n;
};

#define ENTRIES 1024 /* at most, of a damaged file */

/* Where in the file the names of dynamic symbols and of libraries are. */
static struct range find_names(int fd, const Elf64_Ehdr *h)
{
	Elf64_Phdr dynamic, load;
	Elf64_Dyn d = { .d_tag = DT_HASH };
	struct range names = { 0, 0 };
	if (!find_segment(fd, h, PT_DYNAMIC, 0, &dynamic))
		return names;
	for (uint64_t i = 0; d.d_tag != DT_NULL && i < ENTRIES; i++) {
		if (!get(fd, dynamic.p_offset + i * sizeof(d), &d, sizeof(d)))
			break;
		if (d.d_tag == DT_STRTAB)
			names.at = d.d_un.d_ptr;
		else if (d.d_tag == DT_STRSZ)
			names.n = d.d_un.d_val;
	}
	if (!find_segment(fd, h, PT_LOAD, names.at, &load))
		return (struct range){ 0, 0 };
	names.at += load.p_offset - load.p_vaddr;
	return names;
}

/* What they define beside their own functions stands before the C library's that the hooks call. */
static const struct {
	const char *name;
	enum wire_program is;
} runtimes[] = {
	{ "__tsan_init", WIRE_PROGRAM_TSAN },
	{ "__asan_init", WIRE_PROGRAM_ASAN },
	{ "__msan_init", WIRE_PROGRAM_MSAN },
	{ "__hwasan_init", WIRE_PROGRAM_HWASAN },
};

#define OVERLAP 16 /* more than a name has */

static enum wire_program runtime_of(int fd, struct range names)
{
	char text[1024];
	ssize_t n = OVERLAP + 1;
	for (uint64_t at = 0; at < names.n && n > OVERLAP; at += (uint64_t)n - OVERLAP) {
		size_t most = names.n - at < sizeof(text) ? names.n - at : sizeof(text);
		n = pread(fd, text, most, (off_t)(names.at + at));
		for (size_t i = 0; n > 0 && i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
			if (memmem(text, (size_t)n, runtimes[i].name, strlen(runtimes[i].name)))
				return runtimes[i].is;
		}
	}
	return WIRE_PROGRAM_FITS;
}

static enum wire_program program_of(int fd, const Elf64_Ehdr *h)
{
	Elf64_Phdr interpreter;
	char loader[64] = "";
	if (h->e_ident[EI_CLASS] == ELFCLASS32)
		return WIRE_PROGRAM_32_BITS;
	if (h->e_ident[EI_CLASS] != ELFCLASS64)
		return WIRE_PROGRAM_FITS;
	if (h->e_machine != MACHINE)
		return WIRE_PROGRAM_MACHINE;
	if (!find_segment(fd, h, PT_INTERP, 0, &interpreter))
		return WIRE_PROGRAM_STATIC;
	ssize_t n = pread(fd, loader, sizeof(loader), (off_t)interpreter.p_offset);
	if (n > 0 && memmem(loader, (size_t)n, "ld-musl", 7))
		return WIRE_PROGRAM_MUSL;
	return runtime_of(fd, find_names(fd, h));
}

union head {
	Elf64_Ehdr elf;
	char text[128];
};

static int open_head(const char *path, union head *to)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	memset(to, 0, sizeof(*to));
	if (fd >= 0 && pread(fd, to, sizeof(*to) - 1, 0) > 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* "#!", blanks, and a path: cut off behind it. NULL: this is none */
static const char *interpreter_of(union head *h)
{
	if (memcmp(h->text, "#!", 2) != 0)
		return NULL;
	char *path = h->text + 2 + strspn(h->text + 2, " \t");
	path[strcspn(path, " \t\n")] = '\0';
	return path;
}

enum wire_program wire_program_at(const char *path)
{
	enum wire_program is = WIRE_PROGRAM_FITS;
	int saved = errno;
	union head h, own;
	int fd = open_head(path, &h);
	const char *interpreter = fd >= 0 ? interpreter_of(&h) : NULL;
	if (interpreter) {
		close(fd);
		fd = open_head(interpreter, &own);
		h.elf = own.elf;
	}
	if (fd >= 0 && memcmp(h.elf.e_ident, ELFMAG, SELFMAG) == 0)
		is = program_of(fd, &h.elf);
	if (fd >= 0)
		close(fd);
	errno = saved;
	return is;
}
