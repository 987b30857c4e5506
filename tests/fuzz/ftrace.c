/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of ftrace text to events, with all points decoded. The parser remembers columns, names and
 * tasks of earlier lines: what it makes of a line must not depend on that.
 */
#include "fuzz.h"
#include "read/ftrace_line.h"
#include "read/ftrace_payload.h"

struct parser {
	struct ftrace_columns columns;
	struct ftrace_payload payload;
};

struct parsed {
	enum columns_result columns;
	enum entry_result entry;
	struct event e;
	struct payload p;
};

static bool is_slice(struct str part, struct str whole)
{
	return !part.n || (part.p >= whole.p && part.p + part.n <= whole.p + whole.n);
}

static void parser_init(struct parser *r, struct names *names)
{
	memset(r, 0, sizeof(*r));
	r->columns.names = r->payload.entry.names = r->payload.points.names = names;
	r->payload.wanted = ~0u;
}

static void parse(struct parser *r, struct str line, struct parsed *out)
{
	struct ftrace_parts parts;
	*out = (struct parsed){ .entry = ENTRY_NONE, .p.function.repeats = -1 };
	out->columns = ftrace_columns_parse(&r->columns, line, &parts, &out->e);
	if (out->columns == COLUMNS_DAMAGED)
		fuzz_touch_string(r->columns.why);
	if (out->columns != COLUMNS_OK)
		return;
	fuzz_require(is_slice(parts.who, line) && is_slice(parts.rest, line));
	r->payload.perf = fuzz_hash((const uint8_t *)line.p, line.n) & 1;
	out->entry = ftrace_payload_parse(&r->payload, parts.rest, &out->e, &out->p);
	if (out->entry == ENTRY_DAMAGED || out->entry == ENTRY_OPEN)
		fuzz_touch_string(r->payload.entry.why);
}

static void check_points(const struct names *names, const struct payload *p)
{
	if (p->point >= POINT_SWITCH && p->point <= POINT_MIGRATE) {
		fuzz_require(p->sched.next_task < names->tasks.n);
		fuzz_require(p->sched.prev_task < names->tasks.n);
	} else if (p->point != POINT_NONE) {
		fuzz_require(p->point < POINTS && p->args.name < names->text.names.n);
	}
}

static void check_event(const struct names *names, const struct parsed *x, struct str line)
{
	const struct event *e = &x->e;
	fuzz_require(event_kind(e) < EVENT_KINDS);
	fuzz_require(e->what < names->text.names.n && e->arg < names->text.names.n);
	fuzz_require(e->task < names->tasks.n);
	fuzz_require(is_slice(x->p.text, line) && is_slice(x->p.arguments, line));
	fuzz_touch(x->p.text);
	check_points(names, &x->p);
	if (event_kind(e) == EVENT_FUNCTION && x->entry > ENTRY_OPEN)
		fuzz_require(x->p.function.repeats >= 0);
	if (event_kind(e) == EVENT_STACK)
		fuzz_require(x->p.stack.n <= STACK_MAX);
}

/* A closing brace is named after the opening before it: that is no forgetting. */
static void check_same(const struct parsed *a, const struct parsed *b)
{
	fuzz_require(a->columns == b->columns && a->entry == b->entry);
	if (a->entry < ENTRY_OPEN)
		return;
	fuzz_require(a->e.time == b->e.time && a->e.arg == b->e.arg && a->e.task == b->e.task);
	fuzz_require(a->e.flags == b->e.flags && a->e.cpu == b->e.cpu && a->e.kind == b->e.kind);
	fuzz_require(event_is_graph(&a->e) || a->e.what == b->e.what);
	fuzz_require(a->p.point == b->p.point);
	fuzz_require(event_kind(&a->e) != EVENT_FUNCTION ||
		     a->p.function.repeats == b->p.function.repeats);
	fuzz_require(a->p.text.p == b->p.text.p && a->p.text.n == b->p.text.n);
}

int fuzz_one(const uint8_t *data, size_t size)
{
	static struct parser all, alone;
	struct parsed x, y;
	struct names names;
	names_init(&names);
	parser_init(&all, &names);
	struct str text = fuzz_str(data, size), line;
	unsigned n = 0;
	while (fuzz_line(&text, &line)) {
		bool again = n++ % 16 == 15;
		if (again) { /* which word is a file's name is known from the lines before */
			parser_init(&alone, &names);
			memcpy(alone.columns.file, all.columns.file, sizeof(all.columns.file));
			alone.columns.file_n = all.columns.file_n;
		}
		parse(&all, line, &x);
		if (x.columns == COLUMNS_OK)
			check_event(&names, &x, line);
		if (again) {
			parse(&alone, line, &y);
			check_same(&x, &y);
		}
		fuzz_touch_string(ftrace_line_begins(line) ? "yes" : "no");
	}
	names_fini(&names);
	return 0;
}
