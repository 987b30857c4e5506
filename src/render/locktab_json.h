/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of locks as an element of `convert --to json` (schema "dwell.capture/1"): everything
 * that is known of it, so that read/capture_json.c reads the same table back.
 */
#ifndef DWELL_RENDER_LOCKTAB_JSON_H
#define DWELL_RENDER_LOCKTAB_JSON_H

#include "core/capture.h"
#include "render/json.h"

void render_locktab_json(struct json *j, const struct capture *c);

#endif
