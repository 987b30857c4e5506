/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the maxima of a kernel's log say: how many, how far they rose, whose they are. */
#ifndef DWELL_ANALYZE_MAXIMA_H
#define DWELL_ANALYZE_MAXIMA_H

#include "core/capture.h"
#include "core/report.h"

void analyze_maxima(const struct capture *c, int64_t top, struct report *r);

#endif
