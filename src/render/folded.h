/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, as flamegraph.pl, inferno and speedscope read them: "root;outer;inner 123", one
 * line for each path that weighs something.
 */
#ifndef DWELL_RENDER_FOLDED_H
#define DWELL_RENDER_FOLDED_H

#include <stdio.h>

#include "core/fold.h"
#include "core/names.h"

enum folded_weight { FOLDED_NS, FOLDED_US, FOLDED_CALLS };

/* True if a line was printed. */
bool render_folded(FILE *out, const struct fold *f, const struct names *names,
		   enum folded_weight weight);

#endif
