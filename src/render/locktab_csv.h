/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of locks as comma-separated values: one row a class, one head for all tables, quoting as
 * in RFC 4180, an empty field for what is not known.
 */
#ifndef DWELL_RENDER_LOCKTAB_CSV_H
#define DWELL_RENDER_LOCKTAB_CSV_H

#include <stdio.h>

#include "core/capture.h"

void render_locktab_csv_head(FILE *out);

/* file: as messages name it; index: of the capture in it */
void render_locktab_csv(FILE *out, const struct capture *c, const char *file, unsigned index);

#endif
