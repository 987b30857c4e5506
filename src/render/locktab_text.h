/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of locks as text of /proc/lock_stat 0.4, for people and for other tools: "-" where
 * nothing is known, four sites a block, and comment lines for what was left out. A table that a
 * kernel printed in this version comes out byte for byte.
 */
#ifndef DWELL_RENDER_LOCKTAB_TEXT_H
#define DWELL_RENDER_LOCKTAB_TEXT_H

#include <stdio.h>

#include "core/capture.h"

void render_locktab_text(FILE *out, const struct capture *c);

#endif
