/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `convert --to json` says of a trace: the facts of its lines in a few numbers. The
 * fields are a public interface (schema "dwell.capture/1", man dwell-convert).
 */
#ifndef DWELL_CORE_DIGEST_H
#define DWELL_CORE_DIGEST_H

#include "core/event.h"

struct digest {
	uint64_t events;       /* entries; neither stack dumps nor notices of loss */
	uint64_t stack_traces; /* "<stack trace>" blocks */
	struct event first, last;
	bool have_gap;
	int64_t gap;        /* ns, the longest between consecutive entries of one CPU */
	uint32_t gap_after; /* name id of the entry before it */
	bool have_duration;
	int64_t duration;    /* ns, the longest that a graph prints */
	uint32_t longest;    /* name id of that call; 0: not known */
	uint64_t samples;    /* rows of timerlat, osnoise or hwlat */
	int64_t max_latency; /* ns, the largest of them; UNKNOWN: there is none */
};

#endif
