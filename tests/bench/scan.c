/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What any reader of text must do at least: find the lines and the words in them. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (1u << 18)

struct scan {
	uint64_t lines, words;
};

/* Whole lines of the block; returns the bytes of the last, open one. */
static size_t scan_block(struct scan *s, const char *p, size_t n)
{
	const char *nl;
	while ((nl = memchr(p, '\n', n))) {
		size_t length = (size_t)(nl - p);
		s->lines++;
		for (size_t i = 0; i < length; i++)
			s->words += p[i] != ' ' && (i + 1 == length || p[i + 1] == ' ');
		n -= length + 1;
		p = nl + 1;
	}
	return n;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : STDIN_FILENO;
	char *block = malloc(BLOCK);
	struct scan s = { 0 };
	size_t kept = 0;
	ssize_t n;
	if (fd < 0 || !block)
		return 1;
	while ((n = read(fd, block + kept, BLOCK - kept)) > 0) {
		size_t have = kept + (size_t)n;
		kept = scan_block(&s, block, have);
		memmove(block, block + have - kept, kept);
		if (kept == BLOCK)
			kept = 0;
	}
	printf("%llu %llu\n", (unsigned long long)s.lines, (unsigned long long)s.words);
	free(block);
	return n < 0;
}
