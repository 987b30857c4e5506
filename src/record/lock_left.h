/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program leaves behind when it ends: a daemon that took no lock yet has no file of counts. */
#ifndef DWELL_RECORD_LOCK_LEFT_H
#define DWELL_RECORD_LOCK_LEFT_H

#include "record/lock_launch.h"

/* Processes that run, have the run's folder in their environment, and are none of r->processes. */
uint64_t lock_left(const struct lock_run *r);

#endif
