/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/maxima.h"

#include <inttypes.h>

#include "render/digest.h"

/* A name that is not given has no key. */
static void key_name(struct json *j, const char *key, const struct names *names, uint32_t id)
{
	if (!id)
		return;
	json_key_str(j, key, names_str(names, id));
}

static void maximum_json(struct json *j, const struct names *names, const struct maximum *m)
{
	struct task t = names_task_of(names, m->task);
	json_put_open(j, '{');
	json_key_str(j, "comm", names_str(names, t.comm));
	json_key_known(j, "pid", t.pid);
	json_key_known(j, "cpu", m->cpu);
	json_key_known(j, "latency_us", m->latency_us);
	key_name(j, "section", names, m->section);
	if (m->threshold_us != UNKNOWN)
		json_key_known(j, "threshold_us", m->threshold_us);
	key_name(j, "started_at", names, m->started_at);
	key_name(j, "ended_at", names, m->ended_at);
	json_key_known(j, "line", m->line);
	json_put_close(j, '}');
}

void render_maxima_json(struct json *j, const struct capture *c)
{
	json_put_open(j, '{');
	render_capture(j, c, "maxima");
	json_put_key(j, "maxima");
	json_put_open(j, '[');
	vec_each (m, &c->maxima)
		maximum_json(j, c->names, m);
	json_put_close(j, ']');
	if (c->more_maxima)
		json_key_known(j, "left_out", (int64_t)c->more_maxima);
	json_put_close(j, '}');
}

static void write_place(FILE *out, const struct names *names, const char *what, uint32_t id)
{
	if (id)
		fprintf(out, " => %s at: <%.*s>\n", what, STR_ARG(names_str(names, id)));
}

/* In 2004 there was no CPU, and a slash before the pid. */
static void write_who(FILE *out, const struct names *names, const struct maximum *m)
{
	struct task t = names_task_of(names, m->task);
	struct str comm = names_str(names, t.comm);
	if (m->cpu == UNKNOWN)
		fprintf(out, "(%.*s/%d): ", STR_ARG(comm), t.pid);
	else
		fprintf(out, "(%16.*s-%-5d|#%" PRId64 "): ", STR_ARG(comm), t.pid, m->cpu);
}

void render_maxima_text(FILE *out, const struct capture *c)
{
	vec_each (m, &c->maxima) {
		struct str section = names_str(c->names, m->section);
		write_who(out, c->names, m);
		if (m->threshold_us == UNKNOWN)
			fprintf(out, "new %" PRId64 " us maximum-latency %.*s.\n", m->latency_us,
				STR_ARG(section));
		else
			fprintf(out, "%" PRId64 " us %.*s violates %" PRId64 " us threshold.\n",
				m->latency_us, STR_ARG(section), m->threshold_us);
		write_place(out, c->names, "started", m->started_at);
		write_place(out, c->names, "ended", m->ended_at);
	}
}
