/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes counted, in files that they may have written themselves (wire/locks.h), becomes a
 * table: at the end, and of what came since a look before. The input is pieces of such a file, each
 * with a byte that says of what, two for which of them, and one for half its length; all else of
 * the file is zero. The last pieces come after the first look.
 */
#include <malloc.h>

#include "analyze/locks.h"
#include "fuzz.h"
#include "json_check.h"
#include "record/lock_since.h"
#include "record/lock_table.h"
#include "render/locktab_json.h"
#include "report_check.h"

static struct wire_locks file;

#define AT(member) offsetof(struct wire_locks, member)
#define LOCK_HEAD offsetof(struct wire_lock, count)
#define SOME_LOCKS 64 /* a table of all of them takes milliseconds */

static const struct part {
	size_t at, size, step, n;
} parts[] = {
	{ 0, AT(key_groups), 0, 1 },
	{ AT(module), sizeof(struct wire_module), sizeof(struct wire_module), WIRE_MODULES },
	{ AT(names), 64, 64, WIRE_NAMES / 64 },
	{ AT(key), sizeof(struct wire_key), sizeof(struct wire_key), WIRE_KEYS },
	{ AT(lock), LOCK_HEAD, sizeof(struct wire_lock), SOME_LOCKS },
	{ AT(lock) + LOCK_HEAD, sizeof(struct wire_lock) - LOCK_HEAD, sizeof(struct wire_lock),
	  SOME_LOCKS },
	{ AT(pair), sizeof(struct wire_pair), sizeof(struct wire_pair), WIRE_PAIRS },
	{ AT(stack), sizeof(struct wire_stack), sizeof(struct wire_stack), WIRE_STACKS },
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* Cuts the next piece off *in: its place in the file, and its bytes; false at the end. */
static bool next_piece(struct str *in, char **to, struct str *bytes)
{
	if (in->n < 4)
		return false;
	const unsigned char *p = (const unsigned char *)in->p;
	const struct part *part = &parts[p[0] % PARTS];
	size_t n = 2u * p[3];
	*to = (char *)&file + part->at + (size_t)(p[1] | p[2] << 8) % part->n * part->step;
	*in = str_from(*in, 4);
	*bytes = str_head(*in, n < part->size ? n : part->size);
	*in = str_from(*in, bytes->n);
	return true;
}

/* Files that are named must not be there: no '/' in names. */
static void write_pieces(struct str in, bool whole)
{
	struct str bytes;
	char *to;
	memset(file.key_groups, 0xff, sizeof(file.key_groups));
	while (next_piece(&in, &to, &bytes)) {
		memcpy(to, bytes.p, bytes.n);
		bool name = to >= file.names && to < file.names + WIRE_NAMES;
		for (size_t i = 0; name && i < bytes.n; i++)
			to[i] = to[i] == '/' ? '_' : to[i];
	}
	if (!whole && file.locks_used > SOME_LOCKS)
		file.locks_used = SOME_LOCKS;
}

static void clear_pieces(struct str in)
{
	struct str bytes;
	char *to;
	while (next_piece(&in, &to, &bytes))
		memset(to, 0, bytes.n);
	file.locks_used = 0;
}

static void check_rows(const struct locktab *t)
{
	vec_each (r, &t->rows) {
		for (enum lock_column c = 0; c < LOCK_COLUMNS; c++)
			fuzz_require(!lock_known(r, c) || r->value[c].n >= 0);
		fuzz_touch_string(r->name);
	}
}

static void check_table(const struct lock_run *run)
{
	struct capture c;
	capture_init(&c, NULL);
	lock_table(&c, run, "program");
	check_rows(c.locks);

	struct json_memory m;
	json_memory_begin(&m);
	render_locktab_json(&m.json, &c);
	json_memory_end(&m);

	struct report r = { .label = "input" };
	analyze_locks(&c, &(struct lock_explain_options){ NULL, 8, 0 }, &r);
	report_check(&r);
	report_fini(&r);
	capture_fini(&c);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	/* Of a file's 38 MB little is touched, and calloc() must not fill it: meson's tests ask for that. */
	mallopt(M_PERTURB, 0);
	struct str all = fuzz_str(data, size), first = str_head(all, size / 4 * 3);
	uint64_t choice = fuzz_hash(data, size);
	struct lock_run run = { .ns = 1000000000, .cpu_ns = 500000000 };
	if (choice & 2) {
		run.ticks = 2100000000;
		run.ticks_ns = 1000000000;
	}
	vec_push(&run.processes, &file);
	bool whole = choice % 512 == 0;
	write_pieces(first, whole);
	if (choice & 1) {
		struct lock_past past = { 0 };
		struct lock_run since;
		lock_since(&since, &run, &past);
		lock_since_fini(&since);
		write_pieces(all, whole);
		lock_since(&since, &run, &past);
		check_table(&since);
		lock_since_fini(&since);
		lock_past_fini(&past);
	} else {
		write_pieces(all, whole);
		check_table(&run);
	}
	clear_pieces(all);
	vec_fini(&run.processes);
	return 0;
}
