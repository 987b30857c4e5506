/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The folded call tree as a table, pruned by share of the time. */
#ifndef DWELL_ANALYZE_TREE_H
#define DWELL_ANALYZE_TREE_H

#include "analyze/calltree.h"
#include "core/report.h"

void tree_report(const struct calltree *t, const struct timeline *timeline, struct report *r);

#endif
