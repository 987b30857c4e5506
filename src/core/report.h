/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an analysis found, before anybody prints it: sections of findings and tables, in the
 * order in which a person should read them. Every number is a typed value beside the sentence
 * that tells it, and every finding names the lines that prove it, so that text, JSON and a
 * comparison of two reports all come from the same thing.
 *
 * Everything belongs to the report's arena.
 */
#ifndef DWELL_CORE_REPORT_H
#define DWELL_CORE_REPORT_H

#include <math.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"

enum value_type {
	VALUE_NONE, /* unknown: "-" in text, null in JSON, never 0 */
	VALUE_TEXT,
	VALUE_COUNT,
	VALUE_TIME,     /* ns */
	VALUE_INTERVAL, /* ns: mid, low, high (95 %) */
	VALUE_SHARE,    /* part of whole */
	VALUE_FIGURE,   /* computed: a number in JSON, words in text */
	VALUE_LINES,    /* first and last line of the input */
	VALUE_YES,      /* a bool */
};

/* How a figure is known. Text has "~" before one that is not exact, and says what that means. */
enum value_how { VALUE_EXACT, VALUE_SAMPLED, VALUE_ESTIMATED };

struct value {
	enum value_type type;
	enum value_how how;
	union {
		const char *text;
		int64_t number;
		struct {
			int64_t mid, low, high;
		};
		struct {
			int64_t part, whole;
		};
		struct {
			double figure;     /* NAN: unknown */
			const char *words; /* with their "~", if any */
		};
		struct {
			uint32_t first, last;
		};
	};
};

struct fact {
	const char *key; /* snake_case, with the unit at its end: "latency_ns" */
	struct value value;
};

struct finding {
	const char *key;
	const char *text;   /* a sentence or two, plain words; NULL: facts only, not printed */
	const char *aside;  /* at the right margin of the first line; NULL: the lines of proof */
	unsigned indent;    /* 0: under the section; 1, 2: under the finding before */
	enum value_how how; /* of the least exact figure in the text, which has its "~" */
	uint32_t first_line, last_line; /* 0: no single place */
	VEC(struct fact) facts;
};

struct column {
	const char *key, *title; /* title NULL: for JSON alone; these come last */
	enum value_type type;
};

#define TABLE_COLUMNS 14

struct row {
	struct value cell[TABLE_COLUMNS];
	unsigned indent;
};

struct table {
	const char *key;
	struct column columns[TABLE_COLUMNS]; /* up to the first without a key */
	uint32_t top;                         /* rows that text shows; 0: all. JSON has every row */
	const char *more; /* how to see the others, for the line that counts them; NULL: no line */
	const char *none; /* what "-" means in this table; NULL: it goes without saying */
	VEC(struct row) rows;
};

struct item {
	struct finding *finding; /* one of the two */
	struct table *table;
};

struct section {
	const char *key, *title, *note; /* note: what the figures are, beside the title; or NULL */
	VEC(struct item) items;
};

struct report {
	struct arena arena;
	const char *label; /* the file, and which capture of it, for people */
	const char *file;
	unsigned capture; /* from 1; 0: the report is of more than one */
	uint32_t first_line, last_line;
	VEC(struct section *) sections;
};

void report_fini(struct report *r);
struct section *report_section(struct report *r, const char *key, const char *title,
			       const char *note);
struct finding *report_finding(struct report *r, struct section *s, const char *key,
			       const char *text);
struct table *report_table(struct report *r, struct section *s, const char *key);
struct row *table_row(struct table *t);

void finding_fact(struct finding *f, const char *key, struct value v);

/* The first section, finding, table or fact of that key; NULL or VALUE_NONE when absent. */
struct section *report_get(const struct report *r, const char *key);
struct finding *section_get(const struct section *s, const char *key);
struct table *section_table(const struct section *s, const char *key);
struct value finding_get(const struct finding *f, const char *key);

static inline struct value value_none(void)
{
	return (struct value){ .type = VALUE_NONE };
}

static inline struct value value_text(const char *z)
{
	return (struct value){ .type = z ? VALUE_TEXT : VALUE_NONE, .text = z };
}

static inline struct value value_count(int64_t n)
{
	return (struct value){ .type = VALUE_COUNT, .number = n };
}

static inline struct value value_time(int64_t ns)
{
	return (struct value){ .type = VALUE_TIME, .number = ns };
}

static inline struct value value_interval(int64_t mid, int64_t low, int64_t high)
{
	return (struct value){ .type = VALUE_INTERVAL, .mid = mid, .low = low, .high = high };
}

static inline struct value value_share(int64_t part, int64_t whole)
{
	return (struct value){ .type = VALUE_SHARE, .part = part, .whole = whole };
}

/* NAN: unknown. The words belong to the report's arena. */
static inline struct value value_figure(double figure, const char *words)
{
	return (struct value){ .type = VALUE_FIGURE, .figure = figure, .words = words };
}

/* What is unknown stays so. */
static inline struct value value_known(struct value v, enum value_how how)
{
	bool none = v.type == VALUE_NONE || (v.type == VALUE_FIGURE && isnan(v.figure));
	v.how = none ? VALUE_EXACT : how;
	return v;
}

/* What follows from two figures is known no better than either. */
static inline enum value_how how_both(enum value_how a, enum value_how b)
{
	return a > b ? a : b;
}

/* "sampled", "estimated" */
const char *value_how_name(enum value_how how);

static inline struct value value_lines(uint32_t first, uint32_t last)
{
	return (struct value){ .type = first ? VALUE_LINES : VALUE_NONE,
			       .first = first,
			       .last = last };
}

static inline struct value value_yes(bool b)
{
	return (struct value){ .type = VALUE_YES, .number = b };
}

#endif
