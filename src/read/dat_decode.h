/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a record means: event and payload from its bytes, by the formats of the file. Rules say
 * which fields of which event fill what (dat_point.c for tracepoints, dat_ftrace.c for ftrace's
 * own entries); an event without a rule has a name and a text.
 */
#ifndef DWELL_READ_DAT_DECODE_H
#define DWELL_READ_DAT_DECODE_H

#include "core/source.h"
#include "read/dat_file.h"
#include "read/dat_format.h"
#include "read/dat_program.h"
#include "read/dat_symbol.h"

struct dat_decoder {
	struct dat_formats formats;
	struct dat_blob ftrace_formats, event_formats; /* the texts that the formats point into */
	struct dat_symbols symbols;
	struct names *names;
	bool big;
	uint32_t long_size; /* the kernel's */
	uint32_t kernel;    /* version << 8 | patchlevel; 0: not known */
	uint32_t wanted, points;
	bool want_text;
	struct strbuf text;
	struct dat_program *programs; /* by the event's id, as they are asked for */
	size_t program_budget;
	uint32_t unknown; /* name id of events without a format */
	uint64_t n_unknown, n_short;
};

/* Places in dat_event.role, by the kind of the rule. */
enum dat_role {
	ROLE_PREV_COMM = 0,
	ROLE_PREV_PID,
	ROLE_PREV_PRIO,
	ROLE_PREV_STATE,
	ROLE_NEXT_COMM,
	ROLE_NEXT_PID,
	ROLE_NEXT_PRIO,
	ROLE_NEXT_STATE,
	ROLE_NEXT_CPU,
	ROLE_ORIG_CPU,

	ROLE_A = 0,
	ROLE_B,
	ROLE_C,
	ROLE_NAME,
};

struct dat_rule {
	const char *system, *event; /* event "x*": all whose name begins so */
	enum point point;
	/* How the text of ftrace's own is printed: "{field}" or "{field:how}"; NULL: as the file says. */
	const char *form;
	/* Sets *e and *p beyond what all events have; called if the kind or the point is wanted. */
	void (*fill)(struct dat_decoder *d, const struct dat_event *ev, const struct dat_data *data,
		     struct event *e, struct payload *p);
	const char *fields[DAT_ROLES];
	enum event_kind kind;
};

extern const struct dat_rule dat_point_rules[], dat_ftrace_rules[]; /* system NULL ends them */

void dat_decoder_init(struct dat_decoder *d, struct dat_file *f, struct names *names);
void dat_decoder_fini(struct dat_decoder *d);

/* Reads the formats of the file; false if there are none and nothing can be decoded. */
bool dat_decoder_load(struct dat_decoder *d, struct dat_file *f);

/* False: the record is too short to be an event. */
bool dat_decode(struct dat_decoder *d, const struct dat_data *data, struct event *e,
		struct payload *p);

/* The value of the field in that role; UNKNOWN without one. */
static inline int64_t dat_role_int(const struct dat_event *ev, enum dat_role role,
				   const struct dat_data *data)
{
	return ev->role[role] < 0 ? UNKNOWN : dat_field_int(&ev->fields.at[ev->role[role]], data);
}

static inline struct str dat_role_str(const struct dat_event *ev, enum dat_role role,
				      const struct dat_data *data)
{
	return ev->role[role] < 0 ? (struct str){ "", 0 }
				  : dat_field_str(&ev->fields.at[ev->role[role]], data);
}

/* Prints the event's fields behind its name: dat_text.c. */
void dat_print(struct dat_decoder *d, const struct dat_event *ev, const struct dat_data *data);

/* Prints a trace_printk() from its format and its binary arguments. */
void dat_bprintf(struct dat_decoder *d, struct str format, struct str args);

#endif
