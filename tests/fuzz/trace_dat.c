/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat: every capture, every event, everything that could be asked of it. */
#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"
#include "read/trace_dat.h"

static void touch_event(const struct capture *c, const struct event *e, const struct payload *p)
{
	fuzz_require(event_kind(e) < EVENT_KINDS);
	fuzz_touch(names_str(c->names, e->what));
	fuzz_touch(names_str(c->names, names_task_of(c->names, e->task).comm));
	switch (event_kind(e)) {
	case EVENT_NAMED:
		fuzz_touch(p->text);
		fuzz_require(p->point < POINTS);
		if (p->point > POINT_MIGRATE)
			fuzz_touch(names_str(c->names, p->args.name));
		break;
	case EVENT_FUNCTION:
		fuzz_touch(names_str(c->names, e->arg));
		break;
	case EVENT_STACK:
		fuzz_require(p->stack.n <= STACK_MAX);
		for (uint32_t i = 0; i < p->stack.n; i++)
			fuzz_touch(names_str(c->names, p->stack.frames[i]));
		break;
	case EVENT_LOST:
		fuzz_require(p->lost >= -1);
		break;
	default:
		break;
	}
}

static void drain(const struct capture *c, struct source *s)
{
	struct err err = { 0 };
	struct event e;
	s->wanted = SINK_WANTS_ALL;
	s->points = ~0u;
	s->want_text = true;
	while (s->next(s, &e, &err) > 0)
		touch_event(c, &e, &s->payload);
	fuzz_require(!err.code);
	vec_each (d, &c->damage)
		fuzz_touch_string(d->why);
	fuzz_touch_string(c->trace.kernel);
	fuzz_touch_string(c->trace.clock);
	fuzz_touch_string(c->label);
}

static void read_captures(struct trace_dat *t, const struct names *names)
{
	struct err err = { 0 };
	int ret = 1;
	while (ret > 0) {
		struct capture c;
		struct source *s;
		int text;
		capture_init(&c, names);
		ret = trace_dat_next(t, &c, &s, &text, &err);
		fuzz_require(ret >= 0 || (err.code && err.msg[0]));
		if (s)
			drain(&c, s);
		if (text >= 0)
			close(text); /* what is in there is other targets' */
		capture_fini(&c);
	}
}

int fuzz_one(const uint8_t *data, size_t size)
{
	if (size < TRACE_DAT_HEAD)
		return 0;
	uint8_t *copy = malloc(size);
	memcpy(copy, data, size);
	memcpy(copy, "\x17\x08\x44tracing", TRACE_DAT_HEAD); /* else it is none */
	int fd = open(fuzz_file(copy, size), O_RDONLY | O_CLOEXEC);
	fuzz_require(fd >= 0);
	free(copy);

	struct names names;
	struct err err = { 0 };
	names_init(&names);
	struct trace_dat *t = trace_dat_open(fd, "fuzz", &names, &err);
	fuzz_require(t || (err.code && err.msg[0]));
	if (t)
		read_captures(t, &names);
	trace_dat_close(t);
	names_fini(&names);
	return 0;
}
