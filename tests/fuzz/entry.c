/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines to events. The parser remembers the columns of the line before: what it makes of a line
 * must not depend on that.
 */
#include "fuzz.h"
#include "read/latency_entry.h"

static bool is_slice(struct str part, struct str whole)
{
	return !part.n || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void check_event(const struct names *names, const struct event *e)
{
	fuzz_require(event_kind(e) < EVENT_KINDS);
	fuzz_require(e->what < names->text.names.n);
	fuzz_require(e->arg < names->text.names.n);
	fuzz_require(e->task < names->tasks.n);
	fuzz_require(event_flag_columns(e) <= FLAG_COLUMNS);

	/* The flags are written as they were read. */
	char flags[8];
	uint32_t again;
	event_flags_print(e->flags, flags);
	fuzz_require(event_flags_parse(str_of(flags), &again) && again == e->flags);
}

static void check_same(const struct event *a, const struct event *b)
{
	fuzz_require(a->time == b->time && a->what == b->what && a->arg == b->arg);
	fuzz_require(a->task == b->task && a->flags == b->flags && a->cpu == b->cpu);
	fuzz_require(a->kind == b->kind);
}

static void check_line(struct entry_reader *r, struct str line)
{
	struct event e = { 0 }, alone_e = { 0 };
	struct payload p = { 0 }, alone_p = { 0 };
	enum entry_result got = entry_parse(r, line, &e, &p);
	struct entry_reader alone = { .names = r->names };
	fuzz_require(entry_parse(&alone, line, &alone_e, &alone_p) == got);
	fuzz_require(entry_begins(line) == (got != ENTRY_NONE));
	if (got == ENTRY_DAMAGED || got == ENTRY_OPEN)
		fuzz_touch_string(r->why);
	if (got < ENTRY_OPEN)
		return;
	check_event(r->names, &e);
	check_same(&e, &alone_e);
	fuzz_require(is_slice(p.text, line));
	fuzz_touch(p.text);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct names names;
	names_init(&names);
	struct entry_reader r = { .names = &names };
	struct str text = fuzz_str(data, size), line;
	while (fuzz_line(&text, &line)) {
		check_line(&r, line);
		fuzz_touch(entry_bare_symbol(line));
	}
	names_fini(&names);
	return 0;
}
