/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

static void write_all(int fd, const uint8_t *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(fd, data + done, size - done, (off_t)done);
		fuzz_require(n > 0);
		done += (size_t)n;
	}
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;
	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		fuzz_require(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	fuzz_require(ftruncate(fd, 0) == 0);
	write_all(fd, data, size);
	return path;
}

bool fuzz_line(struct str *text, struct str *line)
{
	if (!text->n)
		return false;
	ptrdiff_t nl = str_find_char(*text, '\n');
	size_t n = nl < 0 ? text->n : (size_t)nl;
	*line = str_head(*text, n);
	*text = str_from(*text, n + 1);
	return true;
}

void fuzz_touch(struct str s)
{
	unsigned sum = 0;
	for (size_t i = 0; i < s.n; i++)
		sum += (unsigned char)s.p[i];
	__asm__ volatile("" : : "r"(sum));
}

void fuzz_touch_string(const char *z)
{
	fuzz_touch(str_of(z));
}

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
	uint64_t h = 0xcbf29ce484222325ull;
	for (size_t i = 0; i < size; i++)
		h = (h ^ data[i]) * 0x100000001b3ull;
	return h ^ h >> 32;
}
