/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of one buffer of a trace.dat, its CPUs merged by time: a source. */
#ifndef DWELL_READ_DAT_SOURCE_H
#define DWELL_READ_DAT_SOURCE_H

#include "read/dat_decode.h"
#include "read/dat_stream.h"

/* All have to outlive the source, which dat_source_close() frees. */
struct source *dat_source_open(struct dat_file *f, struct dat_decoder *d,
			       const struct dat_layout *layout, const struct dat_buffer *b,
			       struct capture *c);
void dat_source_close(struct source *s);

#endif
