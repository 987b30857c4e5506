/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `convert --to trace` writes what reads back to the same entries, in the same order, over all
 * traces of the input. Not so where names are none that a kernel would print: a comm that begins
 * with '>' is a quote mark to the reader. (Where a header is damaged, the border between two
 * traces may be lost.) Whole traces and graphs are written and not read back here:
 * tests/properties.py does that.
 */
#include <inttypes.h>

#include "captures.h"
#include "render/ftrace_text.h"
#include "render/graph_text.h"
#include "render/latency.h"

/* Writes down what an entry says, whatever it stands for. */
struct listing {
	struct sink sink;
	const struct names *names;
	FILE *out;
	bool odd; /* a name that no kernel prints */
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_ordinary(struct str name, const char *others)
{
	size_t i = 0;
	while (i < name.n && name.p[i] &&
	       (is_letter(name.p[i]) || (name.p[i] >= '0' && name.p[i] <= '9') ||
		strchr(others, name.p[i])))
		i++;
	return str_eq(name, "<idle>") ||
	       (i == name.n && (!name.n || is_letter(name.p[0]) || name.p[0] == '.'));
}

/* Of printed characters alone? */
static bool is_plain(struct str text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] < ' ' || text.p[i] > '~')
			return false;
	}
	return true;
}

static void list_name(struct listing *l, uint32_t id, const char *others)
{
	struct str s = names_str(l->names, id);
	l->odd |= !is_ordinary(s, others);
	fprintf(l->out, " %.*s", STR_ARG(s));
}

static void list_event(struct sink *s, const struct event *e, const struct payload *p)
{
	struct listing *l = (struct listing *)s;
	if (!event_is_entry(e))
		return;
	struct task t = names_task_of(l->names, e->task);
	fprintf(l->out, "%" PRId64 " %u %x %d:", e->time, e->cpu, e->flags, event_kind(e));
	list_name(l, t.comm, "/:.");
	fprintf(l->out, "-%d", t.pid);
	/* A return is named after its call, which may be on the other side of a border. */
	list_name(l, event_kind(e) == EVENT_GRAPH_EXIT ? 0 : e->what, ".");
	list_name(l, e->arg, ".");
	l->odd |= !is_plain(p->text);
	/* Values that were broken off are read as what they may have been. */
	l->odd |= event_kind(e) == EVENT_SPECIAL && str_find_char(p->text, ')') < 0;
	fputc('\n', l->out);
}

static int list_begin(struct sink *s, const struct capture *c, struct err *err)
{
	(void)err;
	((struct listing *)s)->names = c->names;
	return 0;
}

static int list_finish(struct sink *s, const struct capture *c, struct report *r, struct err *err)
{
	(void)s, (void)c, (void)r, (void)err;
	return 0;
}

static const struct sink_ops list_ops = {
	.wants = SINK_WANTS_ALL,
	.begin = list_begin,
	.event = list_event,
	.finish = list_finish,
};

struct converting {
	struct captures captures;
	FILE *text, *events;
	unsigned n;
	bool odd;
};

/* Not a latency trace: another writer's. */
static int convert_whole(struct converting *x, struct capture *c, struct source *s, bool ftrace,
			 struct err *err)
{
	struct render_ftrace lines;
	struct render_graph_text graph;
	x->odd = true;
	render_ftrace_init(&lines, x->text);
	render_graph_text_init(&graph, x->text);
	struct sink *sink = ftrace ? &lines.sink : &graph.sink;
	int ret = source_run(s, c, &sink, 1, NULL, err);
	render_ftrace_fini(&lines);
	render_graph_text_fini(&graph);
	return ret;
}

static int convert_capture(struct captures *to, struct capture *c, struct source *s,
			   struct err *err)
{
	struct converting *x = (struct converting *)to;
	if (!s)
		return 0;
	bool ftrace = render_ftrace_fits(&c->trace);
	if (ftrace || render_graph_text_fits(&c->trace))
		return convert_whole(x, c, s, ftrace, err);
	struct listing events = { .sink = { &list_ops }, .out = x->events };
	struct render_latency lines;
	render_latency_init(&lines, x->text);
	if (x->n++)
		fputc('\n', x->text);
	struct sink *sinks[] = { &events.sink, &lines.sink };
	int ret = source_run(s, c, sinks, 2, NULL, err);
	render_latency_fini(&lines);
	/* What is behind M: is kept as it is, and may hold anything. */
	x->odd |= events.odd || (c->trace.model_flags && strchr(c->trace.model_flags, '-'));
	return ret;
}

struct converted {
	char *text, *events;
	size_t text_size, events_size;
	bool odd;
};

static bool convert(const uint8_t *data, size_t size, struct converted *out)
{
	struct converting x = { .captures = { convert_capture } };
	x.text = open_memstream(&out->text, &out->text_size);
	x.events = open_memstream(&out->events, &out->events_size);
	fuzz_require(x.text && x.events);
	struct err err = { 0 };
	int ret = captures_read(data, size, &x.captures, &err);
	fclose(x.text);
	fclose(x.events);
	out->odd = x.odd;
	return ret == 0;
}

static bool same(const struct converted *a, const struct converted *b)
{
	if (a->events_size == b->events_size && memcmp(a->events, b->events, a->events_size) == 0)
		return true;
	fprintf(stderr, "--- read\n%s--- written\n%s--- read back\n%s", a->events, a->text,
		b->events);
	return false;
}

int fuzz_one(const uint8_t *data, size_t size)
{
	struct converted first = { 0 }, second = { 0 };
	/* A forged header may begin as compressed data do: then it is not read back. */
	if (convert(data, size, &first) && !first.odd &&
	    convert((const uint8_t *)first.text, first.text_size, &second))
		fuzz_require(same(&first, &second));
	free(first.text);
	free(first.events);
	free(second.text);
	free(second.events);
	return 0;
}
