/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mutate.h"

#include <stdbool.h>
#include <string.h>

struct text {
	uint8_t *p;
	size_t n, room;
};

/* Splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
size_t mutate_below(struct mutator *m, size_t n)
{
	uint64_t z = m->state += 0x9e3779b97f4a7c15ull;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return n ? (size_t)((z ^ (z >> 31)) % n) : 0;
}

/* Puts n bytes in the place of `cut` bytes; nothing happens if they do not fit. */
static void replace(struct text *t, size_t at, size_t cut, const void *bytes, size_t n)
{
	if (t->n - cut + n > t->room)
		return;
	memmove(t->p + at + n, t->p + at + cut, t->n - at - cut);
	if (n)
		memcpy(t->p + at, bytes, n);
	t->n += n - cut;
}

/* The line that a random byte is in, its end included. */
static void pick_line(struct mutator *m, const struct text *t, size_t *at, size_t *n)
{
	size_t from = mutate_below(m, t->n), to = from;
	while (from && t->p[from - 1] != '\n')
		from--;
	while (to < t->n && t->p[to] != '\n')
		to++;
	*at = from;
	*n = to - from + (to < t->n);
}

/* A few lines in a row. */
static void pick_block(struct mutator *m, const struct text *t, size_t *at, size_t *n)
{
	pick_line(m, t, at, n);
	for (size_t more = mutate_below(m, 8); more; more--) {
		while (*at + *n < t->n && t->p[*at + *n] != '\n')
			++*n;
		*n += *at + *n < t->n;
	}
}

static void lines_drop(struct mutator *m, struct text *t)
{
	size_t at, n;
	pick_block(m, t, &at, &n);
	replace(t, at, n, NULL, 0);
}

#define BLOCK 4096

static void lines_repeat(struct mutator *m, struct text *t)
{
	uint8_t block[BLOCK];
	size_t at, n;
	pick_block(m, t, &at, &n);
	if (n > sizeof(block))
		return;
	memcpy(block, t->p + at, n);
	for (size_t times = 1 + mutate_below(m, 12); times; times--)
		replace(t, at, 0, block, n);
}

static void lines_move(struct mutator *m, struct text *t)
{
	uint8_t block[BLOCK];
	size_t at, n, to, ignored;
	pick_block(m, t, &at, &n);
	if (n > sizeof(block) || n == t->n)
		return;
	memcpy(block, t->p + at, n);
	replace(t, at, n, NULL, 0);
	pick_line(m, t, &to, &ignored);
	replace(t, to, 0, block, n);
}

/* A mail breaks a line, or joins two. */
static void line_break(struct mutator *m, struct text *t)
{
	size_t at = mutate_below(m, t->n);
	const uint8_t *nl = memchr(t->p + at, '\n', t->n - at);
	if (mutate_below(m, 2) || !nl)
		replace(t, at, t->p[at] == ' ', "\n", 1);
	else
		replace(t, (size_t)(nl - t->p), 1, " ", mutate_below(m, 2));
}

static void lines_quote(struct mutator *m, struct text *t)
{
	size_t at, n;
	pick_block(m, t, &at, &n);
	for (size_t end = at + n; at < end && at < t->n;) {
		replace(t, at, 0, "> ", 2);
		end += 2;
		const uint8_t *nl = memchr(t->p + at, '\n', t->n - at);
		if (!nl)
			break;
		at = (size_t)(nl - t->p) + 1;
	}
}

static void text_cut(struct mutator *m, struct text *t)
{
	size_t at = mutate_below(m, t->n);
	if (mutate_below(m, 2))
		t->n = at;
	else
		replace(t, 0, at, NULL, 0);
}

/* A number becomes another one, near a limit of some type. */
static void number_forge(struct mutator *m, struct text *t)
{
	static const char *const numbers[] = {
		"0",
		"1",
		"-1",
		"4",
		"9",
		"128",
		"999",
		"65535",
		"65536",
		"2147483647",
		"2147483648",
		"4294967295",
		"4294967296",
		"9223372036854775",
		"9223372036854776",
		"9223372036854775807",
		"-9223372036854775808",
		"9223372036854775808",
		"18446744073709551616",
		"00000000000000000000000000000001",
		"99999999999999999999999999999999",
		"1.5",
		"",
	};
	size_t at = mutate_below(m, t->n), end;
	while (at < t->n && (t->p[at] < '0' || t->p[at] > '9'))
		at++;
	while (at && at < t->n && t->p[at - 1] >= '0' && t->p[at - 1] <= '9')
		at--;
	for (end = at; end < t->n && t->p[end] >= '0' && t->p[end] <= '9';)
		end++;
	const char *z = numbers[mutate_below(m, sizeof(numbers) / sizeof(numbers[0]))];
	replace(t, at, end - at, z, strlen(z));
}

static void word_put(struct mutator *m, struct text *t)
{
	if (!m->n_words)
		return;
	const char *z = m->words[mutate_below(m, m->n_words)];
	size_t at = mutate_below(m, t->n + 1), n = strlen(z);
	bool over = mutate_below(m, 2) && n <= t->n - at;
	replace(t, at, over ? n : 0, z, n);
}

static void bytes_forge(struct mutator *m, struct text *t)
{
	static const uint8_t special[] = { 0,   '\n', '\r', '\t', ' ',  '-',  ':',  '#', '<',
					   '>', '(',  ')',  '+',  0x7f, 0x80, 0xc2, 0xff };
	size_t at = mutate_below(m, t->n);
	switch (mutate_below(m, 4)) {
	case 0:
		t->p[at] ^= (uint8_t)(1u << mutate_below(m, 8));
		break;
	case 1:
		t->p[at] = special[mutate_below(m, sizeof(special))];
		break;
	case 2:
		replace(t, at, 0, &special[mutate_below(m, sizeof(special))], 1);
		break;
	default: {
		size_t n = 1 + mutate_below(m, 16);
		replace(t, at, n < t->n - at ? n : t->n - at, NULL, 0);
	}
	}
}

/* A long run of one byte: what is unbounded shows. */
static void byte_run(struct mutator *m, struct text *t)
{
	uint8_t run[512];
	size_t at = mutate_below(m, t->n);
	memset(run, t->p[at], sizeof(run));
	replace(t, at, 0, run, 1 + mutate_below(m, sizeof(run)));
}

size_t mutate(struct mutator *m, uint8_t *data, size_t size, size_t room)
{
	static void (*const mutations[])(struct mutator *, struct text *) = {
		lines_drop,   lines_repeat, lines_move,   line_break, lines_quote, text_cut,
		number_forge, number_forge, number_forge, word_put,   word_put,    bytes_forge,
		bytes_forge,  bytes_forge,  bytes_forge,  byte_run,
	};
	struct text t = { data, size, room };
	for (size_t times = 1 + mutate_below(m, 6); times && t.n; times--)
		mutations[mutate_below(m, sizeof(mutations) / sizeof(mutations[0]))](m, &t);
	return t.n;
}
