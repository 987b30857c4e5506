/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/source.h"

int source_run(struct source *s, const struct capture *c, struct sink **sinks, size_t n,
	       struct report *r, struct err *err)
{
	s->wanted = s->points = 0;
	s->want_text = false;
	for (size_t i = 0; i < n; i++) {
		s->wanted |= sinks[i]->ops->wants;
		s->points |= sinks[i]->ops->points;
		s->want_text |= sinks[i]->ops->text;
		int ret = sinks[i]->ops->begin(sinks[i], c, err);
		if (ret)
			return ret;
	}

	struct event e;
	int ret;
	while ((ret = s->next(s, &e, err)) > 0) {
		uint32_t bit = 1u << event_kind(&e);
		for (size_t i = 0; i < n; i++) {
			if (sinks[i]->ops->wants & bit)
				sinks[i]->ops->event(sinks[i], &e, &s->payload);
		}
	}
	if (ret)
		return ret;

	for (size_t i = 0; i < n; i++) {
		ret = sinks[i]->ops->finish(sinks[i], c, r, err);
		if (ret)
			return ret;
	}
	return 0;
}
