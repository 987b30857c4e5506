/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One capture as an element of `convert --to json` (schema "dwell.capture/1"). */
#ifndef DWELL_RENDER_DIGEST_H
#define DWELL_RENDER_DIGEST_H

#include "core/capture.h"
#include "core/digest.h"
#include "render/json.h"

/* The first keys of every kind of capture, "schema", "kind" and "lines". */
void render_capture(struct json *j, const struct capture *c, const char *kind);

/* The keys "damage" and "damaged_lines" of a capture, if something could not be read. */
void render_damage(struct json *j, const struct capture *c);

void render_digest(struct json *j, const struct capture *c, const struct digest *d);

#endif
