/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every event as one line of JSON (schema "dwell.event/1", man dwell-convert). */
#ifndef DWELL_RENDER_JSONL_H
#define DWELL_RENDER_JSONL_H

#include "core/source.h"
#include "render/json.h"

struct render_jsonl {
	struct sink sink;
	struct json json;
	const struct capture *capture;
	unsigned index; /* of the capture in its file */
};

void render_jsonl_init(struct render_jsonl *r, FILE *out, unsigned index);

#endif
