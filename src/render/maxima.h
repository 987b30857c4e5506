/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The maxima of a kernel's log, as an element of `convert --to json` and as the log's lines. */
#ifndef DWELL_RENDER_MAXIMA_H
#define DWELL_RENDER_MAXIMA_H

#include "core/capture.h"
#include "render/json.h"

void render_maxima_json(struct json *j, const struct capture *c);
void render_maxima_text(FILE *out, const struct capture *c);

#endif
