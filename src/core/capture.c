/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/capture.h"

#include <stdlib.h>

bool capture_is_sampler(const struct capture *c)
{
	const char *tracer = c->trace.tracer;
	return tracer && (strcmp(tracer, "timerlat") == 0 || strcmp(tracer, "osnoise") == 0 ||
			  strcmp(tracer, "hwlat") == 0);
}

void capture_init(struct capture *c, const struct names *names)
{
	*c = (struct capture){
		.names = names,
		.lost_events = UNKNOWN,
		.trace = {
			.latency_us = UNKNOWN,
			.cpu = UNKNOWN,
			.cpus = UNKNOWN,
			.entries_in_buffer = UNKNOWN,
			.entries_written = UNKNOWN,
			.task = { NULL, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN },
		},
	};
}

void capture_fini(struct capture *c)
{
	if (c->beside)
		capture_fini(c->beside);
	free(c->beside);
	locktab_fini(c->locks);
	rtla_fini(c->rtla);
	arena_fini(&c->arena);
	vec_fini(&c->maxima);
	vec_fini(&c->damage);
}

void capture_damage(struct capture *c, uint32_t line, const char *why)
{
	c->damaged++;
	if (c->damage.n < DAMAGE_KEPT)
		vec_push(&c->damage, ((struct damage){ line, why }));
}

void capture_lost(struct capture *c, int64_t n)
{
	if (n < 0 || c->lost_events == -1)
		c->lost_events = -1;
	else if (c->lost_events == UNKNOWN)
		c->lost_events = n;
	else if (__builtin_add_overflow(c->lost_events, n, &c->lost_events))
		c->lost_events = -1;
}

void capture_trailing(struct capture *c, struct str text)
{
	if (!text.n)
		return;
	c->n_trailing = text.n < CAPTURE_TRAILING ? text.n : CAPTURE_TRAILING;
	memcpy(c->trailing, text.p, c->n_trailing);
}
