/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of render/perfetto.c: writing an event, tracks, and what is drawn on them. */
#ifndef DWELL_RENDER_PERFETTO_TRACK_H
#define DWELL_RENDER_PERFETTO_TRACK_H

#include "render/perfetto.h"

/*
 * Writes an event up to its name; the caller adds keys to what is returned, and calls
 * perfetto_close. The names of a track are written before its first event.
 */
struct json *perfetto_event(struct render_perfetto *p, const struct perfetto_track *t, char phase,
			    struct str name, int64_t time);
void perfetto_close(struct render_perfetto *p);

/* "comm-pid" of a task as the value of a key. */
void perfetto_who(struct render_perfetto *p, const char *key, uint32_t task);

/* -- Tracks: perfetto_track.c. Pointers are valid until the next call of perfetto_task. ------ */

struct perfetto_cpu *perfetto_cpu_of(struct render_perfetto *p, uint16_t cpu);
struct perfetto_track *perfetto_row(struct render_perfetto *p, uint16_t cpu, enum perfetto_row row);

/* The process of the CPUs, for what is said of all of them. */
struct perfetto_track perfetto_cpus(void);

/* The track of a task (0: not known) that was met on a CPU. Idle tasks have one for each CPU. */
struct perfetto_track *perfetto_task(struct render_perfetto *p, uint32_t task, uint16_t cpu);

/* Nothing may begin before what was drawn last: the time, or that edge. */
int64_t perfetto_front(struct perfetto_track *t, int64_t time);

/* Slices that nest. The beginning is closed by the caller, after its args. */
struct json *perfetto_begin(struct render_perfetto *p, struct perfetto_track *t, struct str name,
			    struct perfetto_open open);
void perfetto_end(struct render_perfetto *p, struct perfetto_track *t, int64_t time, bool seen);

/* A slice that is over; its end is the new front. */
struct json *perfetto_slice(struct render_perfetto *p, struct perfetto_track *t, struct str name,
			    int64_t time, int64_t dur);

/* A moment. */
struct json *perfetto_instant(struct render_perfetto *p, struct perfetto_track *t, struct str name,
			      int64_t time);

/* -- Who runs, wakes up and interrupts: perfetto_sched.c --------------------------------------- */

/* True if the event is all told with that. */
bool perfetto_sched(struct render_perfetto *p, const struct event *e, const struct payload *pl);

/* Before any other use of an event that has a CPU and a stamp. */
void perfetto_sched_at(struct render_perfetto *p, const struct event *e);
void perfetto_sched_lost(struct render_perfetto *p, const struct event *e,
			 const struct payload *pl);
void perfetto_sched_finish(struct render_perfetto *p);

/* -- Calls: perfetto_call.c ------------------------------------------------------------------ */

void perfetto_function(struct render_perfetto *p, const struct event *e);
void perfetto_call(struct render_perfetto *p, const struct event *e, const struct payload *pl);

/* The function entered last on a track is over at that time; NO_TIME: its end was not seen. */
#define NO_TIME INT64_MIN
void perfetto_function_end(struct render_perfetto *p, struct perfetto_track *t, int64_t time);

#endif
