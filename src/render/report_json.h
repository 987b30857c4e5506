/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report as JSON (schema "dwell.report/1", man dwell-explain): everything in it, typed. */
#ifndef DWELL_RENDER_REPORT_JSON_H
#define DWELL_RENDER_REPORT_JSON_H

#include "core/report.h"
#include "render/json.h"

void render_report_json(struct json *j, const struct report *r);

#endif
