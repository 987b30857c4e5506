/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/rtla.h"

#include "render/digest.h"

static void rows_json(struct json *j, const struct rtla *t)
{
	int n;
	const char *const *keys = rtla_keys(t->tool, &n);
	json_put_key(j, "rows");
	json_put_open(j, '[');
	vec_each (row, &t->rows) {
		json_put_open(j, '{');
		if (row->column) {
			json_key_string(j, "column", row->column);
		}
		for (int i = 0; i < n; i++) {
			if (row->value[i] == UNKNOWN)
				continue;
			json_put_key(j, keys[i]);
			if (t->tool == RTLA_OSNOISE_TOP && i == OSNOISE_AVAILABLE)
				json_put_decimal(j, row->value[i], 5, 0);
			else
				json_put_int(j, row->value[i]);
		}
		json_put_close(j, '}');
	}
	json_put_close(j, ']');
}

/* Each bucket: its index, and the counts in the order of the rows. */
static void buckets_json(struct json *j, const struct rtla *t)
{
	json_key_int(j, "buckets", (int64_t)t->buckets.n);
	json_put_key(j, "counts");
	json_put_open(j, '[');
	vec_each (b, &t->buckets) {
		json_put_open(j, '[');
		json_put_int(j, b->index);
		for (size_t i = 0; i < t->rows.n; i++)
			json_put_known(j, b->counts[i]);
		json_put_close(j, ']');
	}
	json_put_close(j, ']');
}

static void parts_json(struct json *j, const struct rtla *t)
{
	json_key_known(j, "cpu", t->cpu);
	json_put_key(j, "parts");
	json_put_open(j, '[');
	vec_each (p, &t->parts) {
		json_put_open(j, '{');
		json_key_string(j, p->frame ? "frame" : "what", p->what);
		if (!p->frame) {
			json_key_known(j, "ns", p->ns);
		}
		json_put_close(j, '}');
	}
	json_put_close(j, ']');
}

void render_rtla_json(struct json *j, const struct capture *c)
{
	const struct rtla *t = c->rtla;
	json_put_open(j, '{');
	render_capture(j, c, "rtla");
	render_damage(j, c);
	json_put_key(j, "rtla");
	json_put_open(j, '{');
	json_key_string(j, "tool", rtla_name(t->tool));
	json_key_string(j, "unit", t->unit);
	json_key_known(j, "duration_s", t->duration_s);
	if (t->tool == RTLA_TIMERLAT_AUTO)
		parts_json(j, t);
	else
		rows_json(j, t);
	if (rtla_is_hist(t->tool))
		buckets_json(j, t);
	json_put_close(j, '}');
	json_put_close(j, '}');
}
