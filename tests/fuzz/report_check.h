/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report can be printed: as text without a NUL in it, and as JSON that is JSON. */
#ifndef DWELL_FUZZ_REPORT_CHECK_H
#define DWELL_FUZZ_REPORT_CHECK_H

#include "core/report.h"

void report_check(const struct report *r);

#endif
