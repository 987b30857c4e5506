/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader of lock tables must know before believing them: of one table, or of several. */
#ifndef DWELL_ANALYZE_LOCK_CAUTION_H
#define DWELL_ANALYZE_LOCK_CAUTION_H

#include "analyze/lock_class.h"
#include "core/report.h"

/* Adds the section "caution", if there is anything to say. */
void lock_caution_report(const struct lock_view *const *views, size_t n, struct report *r);

#endif
