/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what the processes of a run counted to one table of locks, with names. */
#ifndef DWELL_RECORD_LOCK_TABLE_H
#define DWELL_RECORD_LOCK_TABLE_H

#include "core/capture.h"
#include "record/lock_launch.h"

/* A class is one in all processes. Sets the kind of the capture, its table and its label. */
void lock_table(struct capture *c, const struct lock_run *r, const char *command);

/* The same of process i of the run alone, named after it. */
void lock_table_process(struct capture *c, const struct lock_run *r, size_t i);

#endif
