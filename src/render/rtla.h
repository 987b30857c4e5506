/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of rtla as JSON, everything in them. */
#ifndef DWELL_RENDER_RTLA_H
#define DWELL_RENDER_RTLA_H

#include "core/capture.h"
#include "render/json.h"

void render_rtla_json(struct json *j, const struct capture *c);

#endif
