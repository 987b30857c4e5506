/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tables of rtla say: the worst CPU, percentiles of a histogram, its own analysis. */
#ifndef DWELL_ANALYZE_RTLA_H
#define DWELL_ANALYZE_RTLA_H

#include "core/capture.h"
#include "core/report.h"

void analyze_rtla(const struct capture *c, int64_t top, struct report *r);

#endif
