/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/payload.h"

#include <inttypes.h>

#include "render/graph_call.h"

static bool is_rt(const struct capture *c)
{
	return c->trace.style != TRACE_STYLE_MAINLINE;
}

static void payload_side(struct strbuf *b, const struct sched_side *s)
{
	strbuf_printf(b, "%7d:%3d:%c", s->pid, s->prio, s->state);
}

static void payload_sched(struct strbuf *b, const struct capture *c, const struct event *e,
			  const struct payload *p)
{
	const struct names *names = c->names;
	payload_side(b, &p->sched.prev);
	strbuf_str(b, event_kind(e) == EVENT_WAKEUP ? "   +" : " ==>");
	if (p->sched.next_cpu >= 0)
		strbuf_printf(b, " [%03d]", p->sched.next_cpu);
	strbuf_str(b, " ");
	payload_side(b, &p->sched.next);
	if (p->sched.next_task) {
		struct str comm = names_str(names, names_task_of(names, p->sched.next_task).comm);
		strbuf_printf(b, " %.*s", STR_ARG(comm));
	}
}

static void payload_function(struct strbuf *b, const struct capture *c, const struct event *e,
			     const struct payload *p)
{
	const struct names *names = c->names;
	struct str what = names_str(names, e->what), caller = names_str(names, e->arg);
	int64_t us = p->function.last_ts / 1000;
	strbuf_add(b, what.p, what.n);
	if (p->arguments.n)
		strbuf_printf(b, "(%.*s)", STR_ARG(p->arguments));
	if (e->arg)
		strbuf_printf(b, is_rt(c) ? " (%.*s)" : " <-%.*s", STR_ARG(caller));
	if (p->function.repeats)
		strbuf_printf(b, " (repeats: %" PRId64 ", last_ts: %5" PRId64 ".%06d)",
			      p->function.repeats, us / 1000000, (int)(us % 1000000));
}

void render_payload(struct strbuf *b, const struct capture *c, const struct event *e,
		    const struct payload *p)
{
	const struct names *names = c->names;
	b->n = 0;
	switch (event_kind(e)) {
	case EVENT_WAKEUP:
	case EVENT_SWITCH:
		payload_sched(b, c, e, p);
		break;
	case EVENT_STACK:
		strbuf_str(b, p->stack.user ? "<user stack trace>" : "<stack trace>");
		for (uint32_t i = 0; i < p->stack.n; i++) {
			struct str f = names_str(names, p->stack.frames[i]);
			strbuf_printf(b, "\n => %.*s", STR_ARG(f));
		}
		break;
	case EVENT_FUNCTION:
		payload_function(b, c, e, p);
		break;
	case EVENT_GRAPH_ENTRY:
	case EVENT_GRAPH_EXIT:
	case EVENT_GRAPH_LEAF:
	case EVENT_GRAPH_COMMENT:
		render_graph_call(b, names, e, p);
		break;
	default:
		strbuf_add(b, p->text.p, p->text.n);
	}
}

void render_lost(FILE *out, const struct event *e, const struct payload *p)
{
	fprintf(out, "CPU:%u [LOST ", e->cpu);
	if (p->lost >= 0)
		fprintf(out, "%" PRId64 " ", p->lost);
	fputs("EVENTS]\n", out);
}
