/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every capture of an input and every event of it: ids are names, lines are within the capture and
 * do not go back, payloads point at bytes. */
#include "captures.h"

struct reading {
	struct captures captures;
	uint32_t last_line; /* of the captures so far */
};

static void touch_payload(const struct event *e, const struct payload *p, const struct names *names)
{
	fuzz_touch(p->text);
	fuzz_touch(p->arguments);
	if (event_is_graph(e))
		fuzz_touch(p->graph.comment);
	if (event_kind(e) == EVENT_STACK) {
		fuzz_require(p->stack.n <= STACK_MAX);
		for (uint32_t i = 0; i < p->stack.n; i++)
			fuzz_touch(names_str(names, p->stack.frames[i]));
	}
}

static int drain(struct capture *c, struct source *s, struct err *err)
{
	struct event e;
	uint32_t line = c->first_line;
	int ret;
	s->wanted = SINK_WANTS_ALL;
	while ((ret = s->next(s, &e, err)) > 0) {
		fuzz_require(event_kind(&e) < EVENT_KINDS);
		fuzz_require(e.what < c->names->text.names.n);
		fuzz_require(e.arg < c->names->text.names.n);
		fuzz_require(e.task < c->names->tasks.n);
		fuzz_require(e.line >= line && e.line <= c->last_line);
		line = e.line;
		touch_payload(&e, &s->payload, c->names);
	}
	return ret;
}

static void touch_site(const struct lock_site *s)
{
	fuzz_touch_string(s->symbol);
	fuzz_touch_string(s->suffix);
	fuzz_touch_string(s->address);
}

static void touch_locks(const struct locktab *t)
{
	fuzz_touch_string(t->version);
	fuzz_touch_string(t->source);
	vec_each (r, &t->rows) {
		fuzz_touch_string(r->name);
		fuzz_touch_string(r->type);
		fuzz_touch_string(r->caller);
		fuzz_touch_string(r->comm);
		fuzz_touch_string(r->symbol);
		fuzz_touch_string(r->address);
		vec_each (s, &r->waiting)
			touch_site(s);
		vec_each (s, &r->holding)
			touch_site(s);
	}
}

static int read_capture(struct captures *to, struct capture *c, struct source *s, struct err *err)
{
	struct reading *r = (struct reading *)to;
	/* A table that comes from JSON has the places of the text it was converted from. */
	fuzz_require(!s || c->first_line > r->last_line);
	int ret = s ? drain(c, s, err) : 0;
	if (c->locks)
		touch_locks(c->locks);
	fuzz_require(c->last_line >= c->first_line);
	fuzz_require(c->damage.n <= DAMAGE_KEPT && c->damage.n <= c->damaged);
	vec_each (d, &c->damage)
		fuzz_touch_string(d->why);
	if (s)
		r->last_line = c->last_line;
	return ret;
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct reading r = { .captures = { read_capture } };
	struct err err = { 0 };
	captures_read(data, size, &r.captures, &err);
	return 0;
}
