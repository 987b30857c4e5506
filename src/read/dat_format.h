/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the records of events are laid out: the texts events/SYSTEM/EVENT/format that the file
 * carries, of which a line is
 *
 *	field:__data_loc char[] comm;	offset:8;	size:4;	signed:0;
 *
 * (f_show() in kernel/trace/trace_events.c). What stands behind "print fmt:" is dat_program.h's.
 */
#ifndef DWELL_READ_DAT_FORMAT_H
#define DWELL_READ_DAT_FORMAT_H

#include "base/vec.h"
#include "core/names.h"
#include "read/dat_bytes.h"

struct dat_field {
	struct str name, type;       /* slices of the format */
	uint16_t offset, size, elem; /* elem: bytes of an element, where it is an array */
	bool is_signed, is_array, is_pointer;
	bool is_string; /* of characters, in the record itself */
	/* __data_loc: u32 of length << 16 | offset in the record; __rel_loc: offset from behind
	 * the field (commit 05770dd0ad11, v5.17). */
	bool data_loc, rel_loc;
};

/* The record of an event, for the fields. */
struct dat_data {
	const unsigned char *p;
	uint32_t n;
	bool big;
};

struct dat_event;

/* Cuts the next line off *text. */
struct str dat_line(struct str *text);

/* False: the line describes no field. */
bool dat_field_parse(struct str line, struct dat_field *field);

/* An integer of 1, 2, 4 or 8 bytes; UNKNOWN if the record is too short, or f NULL. */
int64_t dat_field_int(const struct dat_field *f, const struct dat_data *d);

/* The bytes of an array, in the record or where it points; empty if they are not in it. */
struct str dat_field_bytes(const struct dat_field *f, const struct dat_data *d);

/* The same as text, up to its NUL. */
struct str dat_field_str(const struct dat_field *f, const struct dat_data *d);

/* NULL: the event has no such field. */
const struct dat_field *dat_field_named(const struct dat_event *ev, struct str name);

/* The fields that every event has, of which the first format tells the place. */
struct dat_common {
	struct dat_field type, flags, preempt_count, pid;
	struct dat_field migrate_disable, preempt_lazy_count; /* of -rt; size 0: absent */
};

/* Roles of fields, by which points and ftrace's events find theirs: see dat_decode.h. */
#define DAT_ROLES 10

struct dat_event {
	uint32_t id;
	uint32_t name; /* name id */
	struct str system;
	uint8_t n_common; /* how many fields come first that all events have */
	VEC(struct dat_field) fields;
	struct str print; /* behind "print fmt: " */
	/* What dat_decode.c makes of it. */
	const struct dat_rule *rule; /* NULL: none */
	int16_t role[DAT_ROLES];     /* index into fields; -1: it has none */
	char states[32];             /* letters of the bits of sched_switch's prev_state */
	uint32_t arg_name;           /* name id that follows from the event's own name */
};

struct dat_formats {
	VEC(struct dat_event *) events;
	struct dat_event **by_id; /* NULL where there is none */
	uint32_t ids;
	struct dat_common common;
	bool have_common;
};

void dat_formats_fini(struct dat_formats *t);

/*
 * Adds the format in text, which has to outlive t. NULL: it is none (its number of refusals is
 * for the caller to count).
 */
struct dat_event *dat_formats_add(struct dat_formats *t, struct str system, struct str text,
				  struct names *names);

static inline const struct dat_event *dat_formats_find(const struct dat_formats *t, int64_t id)
{
	return id >= 0 && id < t->ids ? t->by_id[id] : NULL;
}

#endif
