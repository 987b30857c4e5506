/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report as text for people: 100 columns, the answer first, line numbers as evidence. */
#ifndef DWELL_RENDER_TEXT_H
#define DWELL_RENDER_TEXT_H

#include <stdbool.h>

#include "core/report.h"

void render_text(const struct report *r, bool colour, struct strbuf *out);

#endif
